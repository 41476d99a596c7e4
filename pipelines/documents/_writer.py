"""Text joined from marked-up words: white space as a browser shows it, blocks on lines of their own."""

import re

PIECES = 4_096
_SPACE = re.compile(r"[ \t\n\r\f\xa0]{2,}|[\t\n\r\f\xa0]")  # anything but a single space


class Writer:
    """`words` go on the current line, `block` ends it. `text` has no white space at its ends."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._blocks: list[str] = []  # of joined pieces: short strings take many times their characters
        self._length = 0
        self._gap = 0  # pending line ends before the next words
        self._space = False  # a pending space

    @property
    def next(self) -> int:
        """Where the next words will be, if they begin a block."""
        return self._length + (self._gap if self._length else 0)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join((*self._blocks, *self._pieces))

    def words(self, text: str | None, exact: bool = False) -> None:
        """Add words; runs of white space are one space, unless `exact`. Soft hyphens are removed."""
        text = (text or "").replace("\xad", "")
        if not exact:
            text = _SPACE.sub(" ", text)
        if not text.strip():
            self._space = self._space or bool(text)
            return
        body = text.rstrip() if exact else text.strip()
        if not self._length:
            body = body.lstrip("\r\n")
        elif self._gap:
            self._add("\n" * self._gap)
        elif self._space or (text[0] == " " and not exact):
            self._add(" ")
        self._add(body)
        self._gap, self._space = 0, text[-1].isspace()
        if exact and self._space:
            self._gap = min(2, text[len(body) :].count("\n"))

    def block(self, line_ends: int) -> None:
        """End the line; two line ends leave one empty."""
        self._gap, self._space = max(self._gap, line_ends), False

    def space(self) -> None:
        """What follows is another word."""
        self._space = True

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        if len(self._pieces) == PIECES:
            self._blocks.append("".join(self._pieces))
            self._pieces.clear()
