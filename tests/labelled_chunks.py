"""Makes consecutive chunks with labels."""

from chunkers import Chunk


def labelled(*pairs: tuple[str | None, str]) -> list[Chunk]:
    """Chunks of (label, text) pairs, with one character between them."""
    chunks: list[Chunk] = []
    start = 0
    for label, text in pairs:
        chunks.append(Chunk(text, start, start + len(text), label))
        start += len(text) + 1
    return chunks
