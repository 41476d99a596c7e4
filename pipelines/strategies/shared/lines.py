"""Lines of documents: splitting chunks into lines, and joining outputs with the document's line breaks."""

import re
from collections.abc import Sequence
from itertools import pairwise

from chunkers import Chunk

# tokens of a translation for each token of its source: German has 1.13 times the letters (`docs/benchmarks/muld.md`)
RATIO = 1.3
MAX_SHOWN = 20  # entries of a note; the others are counted

_LINE = re.compile(r"\S(?:[^\n]*\S)?")


def lines_of(chunk: Chunk) -> list[Chunk]:
    """The lines of a chunk without the white space around them; blank ones are left out."""
    return [Chunk(m[0], chunk.start + m.start(), chunk.start + m.end()) for m in _LINE.finditer(chunk.text)]


def line_number(text: str, position: int) -> int:
    """The number of the line at a position of a text, from 1."""
    return text.count("\n", 0, position) + 1


def joined_like_source(text: str, chunks: Sequence[Chunk], outputs: Sequence[str]) -> str:
    """The outputs joined as their chunks are in the document.

    Between two outputs is the white space that is between their chunks; where other text is there, its line breaks.
    """
    edges = [0, *(edge for chunk in chunks for edge in (chunk.start, chunk.end)), len(text)]
    gaps = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    blank = [gap if not gap.strip() else "\n" * gap.count("\n") for gap in gaps]
    return blank[0] + "".join(output + gap for output, gap in zip(outputs, blank[1:], strict=True))


def split_lines(text: str, chunks: Sequence[Chunk]) -> list[str]:
    """The lines that were split between chunks, as "line 3: 2 parts"."""
    parts: dict[int, int] = {}
    for chunk, next_chunk in pairwise(chunks):
        if "\n" not in text[chunk.end : next_chunk.start]:
            line = line_number(text, chunk.end)
            parts[line] = parts.get(line, 1) + 1
    return [f"line {line}: {count} parts" for line, count in parts.items()]


def listed(entries: Sequence[str], separator: str = "; ") -> str:
    """The first entries joined as one text, and the number of further ones."""
    hidden_count = len(entries) - MAX_SHOWN
    return separator.join(entries[:MAX_SHOWN]) + (f"{separator}and {hidden_count} more" if hidden_count > 0 else "")
