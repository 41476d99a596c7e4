"""A part of a run's documents, for runs that several jobs make together: `shard="2/3"`, joined by `pipelines.merge`."""

import re
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError

_PATTERN = re.compile("([0-9]{1,9})/([0-9]{1,9})")
_SUFFIX = re.compile("-shard-[0-9]+-of-[0-9]+$")


@dataclass(frozen=True, slots=True)
class Shard:
    """Every `count`-th document from the `number`-th, counted from 1 in the order in which documents first come."""

    number: int
    count: int

    @classmethod
    def of(cls, spec: Any) -> "Shard":
        """The shard that a text like "2/3" names. Raises `UserError`."""
        match = _PATTERN.fullmatch(spec) if isinstance(spec, str) else None
        number, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= count:
            raise UserError(f'shard must be I/N, the I-th of N shards with I from 1 to N, as in "1/3", got {spec!r}')
        return cls(number, count)

    @property
    def folder_name(self) -> str:
        """The end of the name of its default folder: `shard-2-of-3`."""
        return f"shard-{self.number}-of-{self.count}"

    def __str__(self) -> str:
        """The shard as it is typed: `2/3`."""
        return f"{self.number}/{self.count}"


def without_suffix(folder: str) -> str:
    """The name of a run's default folder without the shard at its end."""
    return _SUFFIX.sub("", folder)
