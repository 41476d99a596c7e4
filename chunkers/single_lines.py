r"""One chunk per line: the paragraphs of documents that have one on each line.

Lines end at line feeds alone, as in PAN's and MuLD's style change documents, whose labels count `text.split("\n")`.
"""

from dataclasses import dataclass

from chunkers import Chunk, Chunker


@dataclass(frozen=True)
class SingleLines(Chunker):
    """Every line that is not blank, whatever its length, without the white space around it."""

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The lines of `text`, in order."""
        chunks: list[Chunk] = []
        position = 0
        for line in text.split("\n"):
            if stripped := line.strip():
                start = position + len(line) - len(line.lstrip())
                chunks.append(Chunk(stripped, start, start + len(stripped)))
            position += len(line) + 1
        return chunks
