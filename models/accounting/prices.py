"""Prices of a million tokens by kind, and what a usage costs by them.

`input` and `output` have to be there; `cached` are prompt tokens that a server reads from its cache, `cache_write`
those that it writes to it. Both cost what `input` does where no price is given.
"""

import math
from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError, unknown
from models.accounting.usage import Usage

NEEDED_NAMES = ("input", "output")
KINDS_NAMES = (*NEEDED_NAMES, "cached", "cache_write")
A_MILLION = 1_000_000


def check_prices(prices: Mapping[Any, Any], label: str = "prices") -> None:
    """Raise `UserError` for unknown kinds, kinds that are missing, and prices that are no numbers from 0 on.

    None at all is fine: the cost is then not known.
    """
    example = 'prices={"input": 0.5, "output": 1.5}'
    for kind, price in prices.items():
        if kind not in KINDS_NAMES:
            raise UserError(
                f"{label}: {unknown('kind', str(kind), KINDS_NAMES)}; prices are for a million tokens: {example}"
            )
        if isinstance(price, bool) or not isinstance(price, (int, float)) or not math.isfinite(price) or price < 0:
            raise UserError(
                f"{label}: {kind} is a number of at least 0, for a million tokens, got {price!r}: {example}"
            )
    if prices and (missing := [kind for kind in NEEDED_NAMES if kind not in prices]):
        raise UserError(f"{label}: {' and '.join(missing)} missing: for a million tokens each, {example}")


def cost_by(prices: Mapping[str, float], usage: Usage) -> float | None:
    """What a usage costs by prices that `check_prices` takes; None where there are none.

    No more tokens are cached, or written to a cache, than prompts have: some servers count other ones.
    """
    if not prices:
        return None
    cached = min(usage.cached_tokens, usage.tokens_in)
    written_count = min(usage.cache_write_tokens, usage.tokens_in - cached)
    millionths = (
        (usage.tokens_in - cached - written_count) * prices["input"]
        + usage.tokens_out * prices["output"]
        + cached * prices.get("cached", prices["input"])
        + written_count * prices.get("cache_write", prices["input"])
    )
    return millionths / A_MILLION
