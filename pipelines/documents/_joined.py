"""Joins texts one below another: parts of a book, messages of a mailbox, or cells of a notebook."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkers import Heading


@dataclass(slots=True)
class Joined:
    """The texts joined so far; `length` is the total length of `pieces`."""

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
        """Add a text after the separator `between`; returns the position of its start."""
        between = between if self.pieces else ""
        start = self.length + len(between)
        self.headings += [
            heading._replace(start=start + heading.start, end=start + heading.end) for heading in headings
        ]
        self.tables += [(start + first, start + last) for first, last in tables]
        self.pieces += [between, text]
        self.length = start + len(text)
        return start

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)
