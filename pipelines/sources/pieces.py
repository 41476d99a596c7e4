"""A document joined from pieces with known spans: turns, paragraphs, headings."""

from pipelines.records import Span


class Pieces:
    """Joins pieces one after the other. `text` is the document so far."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0

    def add(self, piece: str, before: str) -> Span:
        """Append a piece, separated by `before` from what is there. Returns its span."""
        if self._parts:
            self._parts.append(before)
            self._length += len(before)
        start = self._length
        self._parts.append(piece)
        self._length += len(piece)
        return start, self._length

    @property
    def text(self) -> str:
        """All pieces with their separators."""
        return "".join(self._parts)
