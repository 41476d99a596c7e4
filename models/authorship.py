"""Who wrote the paragraphs of a document, as text: the references of style change.

- `1,1,2`: the author of each paragraph, numbered from 1;
- `changes=0,1 authors=2`: where only this is known: for each paragraph but the first, whether its author is another one
  than the paragraph's before it, and how many authors there are (left out where unknown).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_NUMBER = re.compile(r"\d+")
_CHANGES = re.compile(r"\s*changes=([\d,]*)(?:\s+authors=(\d+))?\s*")


@dataclass(frozen=True, slots=True)
class Authorship:
    """`authors` None: only the changes are known. `count` None: nor is the number of authors."""

    authors: tuple[int, ...] | None
    changes: tuple[int, ...]
    count: int | None

    @classmethod
    def of(cls, text: str) -> "Authorship":
        """Read either form; separators are whatever stands between the numbers."""
        if match := _CHANGES.fullmatch(text):
            return cls(None, numbers(match[1]), int(match[2]) if match[2] else None)
        authors = numbers(text)
        return cls(authors, tuple(int(a != b) for a, b in pairwise(authors)), len(set(authors)))

    @property
    def paragraphs(self) -> int:
        """Number of paragraphs."""
        return len(self.changes) + 1 if self.authors is None else len(self.authors)

    @property
    def several(self) -> bool:
        """Whether there is more than one author."""
        return any(self.changes) or (self.count or 1) > 1

    def __str__(self) -> str:
        """The text form, which `of` reads."""
        if self.authors is not None:
            return joined(self.authors)
        return f"changes={joined(self.changes)}" + (f" authors={self.count}" if self.count is not None else "")


def numbers(text: str) -> tuple[int, ...]:
    """The whole numbers in a text, whatever separates them; of a number no more than 18 digits are read."""
    # a model may say digits without end, and int refuses more than some thousand
    return tuple(int(number[:18]) for number in _NUMBER.findall(text))


def joined(values: Sequence[int]) -> str:
    """Numbers joined by commas."""
    return ",".join(map(str, values))
