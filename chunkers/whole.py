"""The document as one chunk."""

from dataclasses import dataclass

from chunkers import Chunk, Chunker


@dataclass(frozen=True)
class Whole(Chunker):
    """One chunk: the text exactly as it is, its outer white space included."""

    single_chunk = True

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The whole of `text`; nothing if it is only white space."""
        return [Chunk(text, 0, len(text))] if text and not text.isspace() else []
