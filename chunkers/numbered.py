"""One chunk per inner document: ZeroSCROLLS' reviews, chapter summaries and paragraphs, each behind "Review 12:"."""

import re
from dataclasses import dataclass

from chunkers import Chunk, Chunker

_HEADING = re.compile(r"^[^\S\n]*([^\W\d_]+) (\d{1,9}):", re.MULTILINE)


@dataclass(frozen=True)
class Numbered(Chunker):
    """Splits before each line that starts with a word, the next number and a colon; one chunk if there is none.

    The word is that of the first such line with the number 0 or 1, and numbers rise by one, so that similar lines
    inside a document split nothing. The heading is part of its chunk and, without the colon, its label; text before the
    first heading is a chunk without a label. Chunks have no outer white space.
    """

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The inner documents of `text`, in order."""
        matches = _headings(text)
        edges = [0, *(match.start() for match in matches), len(text)]
        labels = [None, *(f"{match[1]} {match[2]}" for match in matches)]
        chunks = []
        for start, end, label in zip(edges, edges[1:], labels, strict=False):
            if document := text[start:end].strip():
                position = text.index(document, start)
                chunks.append(Chunk(document, position, position + len(document), label))
        return chunks


def _headings(text: str) -> list[re.Match[str]]:
    """The numbered headings, from the first with the number 0 or 1 on, each one higher than the one before."""
    matches: list[re.Match[str]] = []
    for match in _HEADING.finditer(text):
        if _follows(match, matches[-1]) if matches else int(match[2]) in (0, 1):
            matches.append(match)
    return matches


def _follows(match: re.Match[str], before: re.Match[str]) -> bool:
    return match[1] == before[1] and int(match[2]) == int(before[2]) + 1
