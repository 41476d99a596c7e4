"""The head of the document: the baseline that reads only up to a limit."""

from dataclasses import dataclass

from chunkers import Chunk, Chunker
from chunkers.whole import Whole
from longdoc.errors import UserError


@dataclass(frozen=True)
class Truncate(Chunker):
    """One chunk, the whole text, with a limit of `tokens` on the prompt, counted in the reader's own tokens.

    The pipeline applies the limit to the prompt, where the tail of the document is cut; a chunker by itself cannot know
    how the reader counts. Raises `UserError` for a bound below 1.
    """

    single_chunk = True

    tokens: int

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise UserError(f"tokens={self.tokens} leaves the reader no prompt: give 1 or more")

    @property
    def max_input_tokens(self) -> int:  # type: ignore[override]
        """The bound on the reader's prompt, in its tokens."""
        return self.tokens

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The whole of `text`; nothing if it is only white space."""
        return Whole().split(text, query)
