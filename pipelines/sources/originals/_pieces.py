"""A document put together of pieces that are found again: turns, paragraphs, headings."""

from pipelines.records import Span


class Pieces:
    """Pieces one after the other, and where each is. `text` is the document so far."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0

    def add(self, piece: str, before: str) -> Span:
        """Put a piece at the end, `before` between it and what is there. Returns its span."""
        if self._parts:
            self._parts.append(before)
            self._length += len(before)
        start = self._length
        self._parts.append(piece)
        self._length += len(piece)
        return start, self._length

    @property
    def text(self) -> str:
        """All pieces with what stands between them."""
        return "".join(self._parts)
