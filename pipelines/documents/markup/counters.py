"""The numbers that style sheets make: `counter-increment: clause` and `content: counter(section) "." counter(clause)`.

Source: CSS Lists and Counters 3, sections 4.1 to 4.6.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.documents.markup.numerals import STYLES, list_number

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
        """Count an element at a depth and return the text that its styles put before it. `items`: numbers of lists."""
        for name, value in _CHANGE.findall(styles.get("counter-reset", "")):
            self._open = [counter for counter in self._open if (counter.name, counter.depth) != (name, depth)][:MOST]
            self._open.append(_Counter(name, depth, int(value or 0)))
        for name, value in _CHANGE.findall(styles.get("counter-increment", "")):
            current = next((counter for counter in reversed(self._open) if counter.name == name), None)
            if current is None:
                current = _Counter(name, depth, 0)
                self._open.append(current)
            current.value += int(value or 1)
        return self.generated_text(styles.get("before", ""), items).strip()

    def generated_text(self, content: str, items: Sequence[int]) -> str:
        """The text of a `content` property, which stands before or after an element."""
        return "".join(self._rendered(match, items) for match in _CONTENT.finditer(content))

    def leave(self, depth: int) -> None:
        """End an element at a depth, and with it the counters that began in it."""
        while self._open and self._open[-1].depth > depth:
            self._open.pop()

    def _rendered(self, match: re.Match[str], items: Sequence[int]) -> str:
        if match[4] is None:
            return match[1] or match[2] or ""
        values = (
            items if match[4] == "list-item" else [counter.value for counter in self._open if counter.name == match[4]]
        )
        numbers = [list_number(value, STYLES.get(match[7] or "", "1")) for value in values or (0,)]
        return (match[5] or match[6] or "").join(numbers) if match[3] else numbers[-1]
