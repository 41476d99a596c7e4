"""The document as one chunk that is never cut; an example that does not fit fails."""

from dataclasses import dataclass

from chunkers import Chunk, Chunker
from chunkers.whole import Whole


@dataclass(frozen=True)
class Uncut(Chunker):
    """One chunk, the whole text. An example whose prompt is over the reader's limit fails, where `whole` is cut.

    It has no prediction then, and the run's score is over the examples that the reader could take whole: so do papers
    that skip what does not fit. The pipeline counts the prompt; a chunker by itself cannot know how the reader counts.
    """

    single_chunk = True
    cut = False

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The whole of `text`; nothing if it is only white space."""
        return Whole().split(text, query)
