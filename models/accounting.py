"""Token usage of requests by the kinds that providers bill, its cost, and the account of a reader that pays for it.

Prices are for a million tokens of each kind. `input` and `output` have to be there; `cached` are prompt tokens that a
server reads from its cache, `cache_write` those that it writes to it. Both cost what `input` does where no price is
given.
"""

import math
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

from longdoc.errors import UserError, unknown

REQUIRED_KINDS = ("input", "output")
KINDS = (*REQUIRED_KINDS, "cached", "cache_write")
MILLION = 1_000_000


class Counted(Protocol):
    """An object with token counts: a reply or a prediction."""

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
    def of(cls, counted: Counted) -> "Usage":
        """The usage of a reply or a prediction."""
        return cls(
            counted.tokens_in,
            counted.tokens_out,
            counted.cached_tokens,
            counted.cache_write_tokens,
        )

    @classmethod
    def total(cls, counted: Iterable[Counted]) -> "Usage":
        """The total usage of several replies or predictions."""
        return sum(map(cls.of, counted), cls())

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> "Usage":
        """The usage in a record; counts that it leaves out are 0."""
        return cls(**{field.name: record.get(field.name, 0) for field in fields(cls)})

    @property
    def record(self) -> dict[str, int]:
        """The counts by name; those of caches only if they are not 0."""
        counts = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: count for name, count in counts.items() if count or name in ("tokens_in", "tokens_out")}

    def __add__(self, other: "Usage") -> "Usage":
        """The sum of two usages."""
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


def check_prices(prices: Mapping[Any, Any], label: str = "prices") -> None:
    """Raise `UserError` for unknown or missing kinds, and for prices that are not numbers of at least 0.

    An empty mapping passes: the cost is then unknown.
    """
    example = 'prices={"input": 0.5, "output": 1.5}'
    for kind, price in prices.items():
        if kind not in KINDS:
            raise UserError(f"{label}: {unknown('kind', str(kind), KINDS)}; prices are for a million tokens: {example}")
        if isinstance(price, bool) or not isinstance(price, (int, float)) or not math.isfinite(price) or price < 0:
            raise UserError(
                f"{label}: {kind} must be a number of at least 0 (for a million tokens), got {price!r}; "
                f"for example {example}"
            )
    if prices and (missing := [kind for kind in REQUIRED_KINDS if kind not in prices]):
        raise UserError(f"{label} must have {' and '.join(missing)} (for a million tokens); for example {example}")


def cost_by(prices: Mapping[str, float], usage: Usage) -> float | None:
    """The cost of a usage by checked prices; None without prices.

    Cached and cache-write tokens are capped at the prompt's: some servers report more.
    """
    if not prices:
        return None
    cache_reads = min(usage.cached_tokens, usage.tokens_in)
    cache_writes = min(usage.cache_write_tokens, usage.tokens_in - cache_reads)
    millionths = (
        (usage.tokens_in - cache_reads - cache_writes) * prices["input"]
        + usage.tokens_out * prices["output"]
        + cache_reads * prices.get("cached", prices["input"])
        + cache_writes * prices.get("cache_write", prices["input"])
    )
    return millionths / MILLION


class Account:
    """The tokens and money that a reader has spent, and whether it may spend more. Thread-safe.

    Without `prices` the cost is not known.
    """

    def __init__(self, prices: Mapping[str, float], maximum: float | None) -> None:
        """Raise `UserError` for bad prices, and for a maximum without prices."""
        check_prices(prices)
        if maximum is not None and not prices:
            raise UserError('max_cost needs prices={"input": …, "output": …}, for a million tokens each')
        if maximum is not None and maximum <= 0:
            raise UserError(f"max_cost must be over 0, got {maximum}; leave it out for no limit")
        self.prices, self.max_cost = dict(prices), maximum
        self._usage = Usage()
        self._lock = threading.Lock()

    def begin(self, usage: Usage) -> None:
        """Set the count to what earlier processes of the run have spent."""
        with self._lock:
            self._usage = usage

    def add(self, usage: Usage) -> None:
        """Add the usage of one reply."""
        with self._lock:
            self._usage += usage

    @property
    def usage(self) -> Usage:
        """The tokens counted so far."""
        return self._usage

    @property
    def spent(self) -> float | None:
        """The cost so far; None without prices."""
        return cost_by(self.prices, self._usage)

    @property
    def refusal(self) -> str | None:
        """Why no more requests are sent, None while the limit is not reached."""
        spent = self.spent
        if spent is None or self.max_cost is None or spent < self.max_cost:
            return None
        hint = "to continue, start the same command with a larger max_cost"
        return f"not asked: {spent:.6g} is spent, max_cost is {self.max_cost:g}; {hint}"
