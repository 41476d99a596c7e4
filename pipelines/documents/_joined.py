"""Texts below each other, as the parts of a book, the messages of a mailbox or the cells of a notebook."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkers import Heading


@dataclass(slots=True)
class Joined:
    """What has been joined so far; `length` is that of all `pieces`."""

    pieces: list[str] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    tables: list[tuple[int, int]] = field(default_factory=list)
    length: int = 0

    def add(
        self,
        text: str,
        headings: Sequence[Heading] = (),
        tables: Sequence[tuple[int, int]] = (),
        between: str = "\n\n",
    ) -> int:
        """Add a text behind what comes `between`, and return where it begins."""
        between = between if self.pieces else ""
        start = self.length + len(between)
        self.headings += [one._replace(start=start + one.start, end=start + one.end) for one in headings]
        self.tables += [(start + first, start + last) for first, last in tables]
        self.pieces += [between, text]
        self.length = start + len(text)
        return start

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)
