"""What requests used: tokens by the kinds that providers bill."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol


class Counted(Protocol):
    """What has token counts: a reply, or a prediction."""

    @property
    def tokens_in(self) -> int:
        """Prompt tokens."""

    @property
    def tokens_out(self) -> int:
        """Tokens that the model wrote."""

    @property
    def cached_tokens(self) -> int:
        """Those of the prompt that were read from a server's cache."""

    @property
    def cache_write_tokens(self) -> int:
        """Those of the prompt that were written to it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of prompts and outputs.

    `cached_tokens` of the prompts came from a cache, `cache_write_tokens` of them went to one.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0

    @classmethod
    def of(cls, counted_value: Counted) -> "Usage":
        """The usage of a reply or a prediction."""
        return cls(
            counted_value.tokens_in,
            counted_value.tokens_out,
            counted_value.cached_tokens,
            counted_value.cache_write_tokens,
        )

    @classmethod
    def total(cls, counteds: Iterable[Counted]) -> "Usage":
        """The usage of several."""
        return sum(map(cls.of, counteds), cls())

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> "Usage":
        """The usage in a record; counts that it leaves out are 0."""
        return cls(**{field.name: record.get(field.name, 0) for field in fields(cls)})

    @property
    def record(self) -> dict[str, int]:
        """The counts by name, those of caches only where there are any."""
        counts = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: count for name, count in counts.items() if count or name in ("tokens_in", "tokens_out")}

    def __add__(self, other: "Usage") -> "Usage":
        """The sum of two."""
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )
