"""Text joined from marked-up words: white space as a browser shows it, blocks on lines of their own, headings."""

import re
from dataclasses import dataclass, field

from chunkers import Heading
from pipelines.documents import LONGEST_HEADING
from pipelines.documents.markup import scripts

PIECES = 4_096
LINE = 80  # characters of the line before raised words that are looked at
_SPACE = re.compile(r"[ \t\n\r\f\xa0]{2,}|[\t\n\r\f\xa0]")  # anything but a single space


class Writer:
    """`words` go on the current line, `block` ends it. `text` has no white space at its ends.

    Raised and lowered words are held back until the next words, on which their form depends.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._blocks: list[str] = []  # of joined pieces: short strings take many times their characters
        self._length = 0
        self._gap = 0  # pending line ends before the next words
        self._space = False  # a pending space
        self._slash = ""  # what came behind these, and may be a fraction's
        self._script: tuple[str, bool | None] | None = None  # pending raised words and whether a note; None: lowered

    @property
    def next(self) -> int:
        """The position of the next words if they begin a block; of held words, if there are any."""
        return self._length + (self._gap if self._length else 0)

    @property
    def length(self) -> int:
        """The length of the text so far."""
        self._write_pending("")
        return self._length

    @property
    def text(self) -> str:
        """The text so far."""
        self._write_pending("")
        return "".join((*self._blocks, *self._pieces))

    def words(self, text: str | None, exact: bool = False) -> None:
        """Add words; runs of white space are one space, unless `exact`. Soft hyphens are removed."""
        text = (text or "").replace("\xad", "")
        if self._script is not None and text:
            if not self._slash and text.strip() in scripts.SLASHES and self._script[0].isdecimal():
                self._slash = text.strip()  # of a fraction, if lowered figures follow
                return
            self._write_pending(text)
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

    def raised(self, text: str, is_note: bool = False) -> None:
        """Add raised words: an exponent, or a note's number, which it certainly is with `is_note`."""
        self._hold(text, is_note)

    def lowered(self, text: str) -> None:
        """Add lowered words."""
        if self._slash and self._script is not None and text.strip().isdecimal():
            (over, _), slash = self._script, self._slash
            self._script, self._slash = None, ""
            self.words(f"{' ' if self._line[-1:].isdigit() else ''}{over}{slash}")
        self._hold(text, None)

    def formula(self, text: str) -> None:
        """Add a formula, whose first number does not run into one before it."""
        self._write_pending(text)
        if text[:1].isdigit() and self._line[-1:].isdigit():
            self._space = True
        self.words(text)

    def block(self, line_ends: int) -> None:
        """End the line; two line ends leave one empty."""
        self._write_pending("")
        self._gap, self._space = max(self._gap, line_ends), False

    def space(self) -> None:
        """End the current word."""
        self._write_pending(" ")
        self._space = True

    def _hold(self, text: str, is_note: bool | None) -> None:
        words = " ".join(text.split())
        if words:
            self._write_pending("")
            self._script = (words, is_note)

    def _write_pending(self, after: str) -> None:
        """Write the held words, given the text after them."""
        if self._script is None:
            return
        (words, is_note), self._script = self._script, None
        slash, self._slash = self._slash, ""
        after = slash or after
        if is_note is None:
            self.words(scripts.lowered(self._line, words, after))
        else:
            self.words(scripts.raised(self._line, words, after, is_note))
        if slash:
            self.words(slash)

    @property
    def _line(self) -> str:
        """The end of the current line."""
        if self._gap or not self._length:
            return ""
        line = ""
        for piece in reversed(self._pieces or self._blocks[-1:]):
            line = piece[-LINE:] + line
            if len(line) >= LINE:
                break
        return line.rpartition("\n")[2] + (" " if self._space else "")

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        if len(self._pieces) == PIECES:
            self._blocks.append("".join(self._pieces))
            self._pieces.clear()


@dataclass(slots=True)
class Sink:
    """A text being written, with its headings (start, end, level) and the positions of its ids."""

    writer: Writer = field(default_factory=Writer)
    headings: list[tuple[int, int, int]] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    tables: list[tuple[int, int]] = field(default_factory=list)

    def take(self, other: "Sink", text: str) -> None:
        """Write another's text on lines of its own."""
        start = self.writer.next
        self.writer.words(text, exact=True)
        self.headings += [(start + first, start + last, level) for first, last, level in other.headings]
        self.tables += [(start + first, start + last) for first, last in other.tables]
        for name, position in other.anchors.items():
            self.anchors.setdefault(name, start + position)


def headings_of(text: str, sink: Sink) -> list[Heading]:
    """The headings in order, without headings inside others and without those that are too long."""
    headings = list[Heading]()
    for start, end, level in sorted(sink.headings):
        title = " ".join(text[start:end].split())
        if title and len(title) <= LONGEST_HEADING and not (headings and start < headings[-1].end):
            headings.append(Heading(start, min(end, len(text)), level, title))
    return headings
