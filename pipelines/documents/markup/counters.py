"""The numbers that style sheets make: `counter-increment: clause` and `content: counter(section) "." counter(clause)`.

Source: CSS Lists and Counters 3, sections 4.1 to 4.6.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.documents.markup.numerals import STYLES, listed

MOST = 1_000  # counters at a time

_CHANGE = re.compile(r"([a-z_-][\w-]*)(?:\s+(-?\d{1,9}))?", re.IGNORECASE)
_CONTENT = re.compile(
    r"\"([^\"]*)\"|'([^']*)'|counter(s?)\(\s*([\w-]+)\s*(?:,\s*(?:\"([^\"]*)\"|'([^']*)')\s*)?(?:,\s*([\w-]+)\s*)?\)"
)


@dataclass(slots=True)
class _Counter:
    name: str
    depth: int  # of the element that began it
    value: int


@dataclass(slots=True)
class Counters:
    """The counters of a page, the innermost last."""

    _open: list[_Counter] = field(default_factory=list)

    def enter(self, depth: int, styles: Mapping[str, str], items: Sequence[int]) -> str:
        """Count an element at a depth; what its styles write before its words. `items` are the numbers of lists."""
        for name, value in _CHANGE.findall(styles.get("counter-reset", "")):
            self._open = [one for one in self._open if (one.name, one.depth) != (name, depth)][:MOST]
            self._open.append(_Counter(name, depth, int(value or 0)))
        for name, value in _CHANGE.findall(styles.get("counter-increment", "")):
            own = next((one for one in reversed(self._open) if one.name == name), None)
            if own is None:
                own = _Counter(name, depth, 0)
                self._open.append(own)
            own.value += int(value or 1)
        return self.made(styles.get("before", ""), items).strip()

    def made(self, content: str, items: Sequence[int]) -> str:
        """What styles write before or after an element's words."""
        return "".join(self._written(match, items) for match in _CONTENT.finditer(content))

    def leave(self, depth: int) -> None:
        """An element at a depth ends, and with it the counters that began in it."""
        while self._open and self._open[-1].depth > depth:
            self._open.pop()

    def _written(self, match: re.Match[str], items: Sequence[int]) -> str:
        if match[4] is None:
            return match[1] or match[2] or ""
        values = items if match[4] == "list-item" else [one.value for one in self._open if one.name == match[4]]
        numbers = [listed(value, STYLES.get(match[7] or "", "1")) for value in values or (0,)]
        return (match[5] or match[6] or "").join(numbers) if match[3] else numbers[-1]
