"""What a reader behind an API has spent, and whether more may be: a counter that threads share."""

import threading
from collections.abc import Mapping

from longdoc.errors import UserError

KINDS = ("input", "output")
A_MILLION = 1_000_000


class Account:
    """Counts tokens. `prices` are for a million tokens of `input` and `output`; empty: the cost is not known."""

    def __init__(self, prices: Mapping[str, float], most: float | None) -> None:
        """Refuse prices that are not of both kinds, and a bound without prices."""
        if prices and (set(prices) != set(KINDS) or min(prices.values()) < 0):
            raise UserError('prices are two numbers for a million tokens: prices={"input": 0.5, "output": 1.5}')
        if most is not None and not prices:
            raise UserError('max_cost needs prices={"input": …, "output": …}, for a million tokens each')
        if most is not None and most <= 0:
            raise UserError(f"max_cost must be over 0, got {most}; leave it out for no bound")
        self.prices, self.most = dict(prices), most
        self._tokens = (0, 0)
        self._lock = threading.Lock()

    def begin(self, tokens_in: int, tokens_out: int) -> None:
        """Start anew after what earlier processes of the run spent."""
        with self._lock:
            self._tokens = (tokens_in, tokens_out)

    def add(self, tokens_in: int, tokens_out: int) -> None:
        """Count one reply."""
        with self._lock:
            self._tokens = (self._tokens[0] + tokens_in, self._tokens[1] + tokens_out)

    @property
    def tokens(self) -> tuple[int, int]:
        """The tokens that were counted, in and out."""
        return self._tokens

    @property
    def spent(self) -> float | None:
        """What all that was counted costs, None without prices."""
        if not self.prices:
            return None
        pairs = zip(self._tokens, KINDS, strict=True)
        return sum(tokens * self.prices[kind] for tokens, kind in pairs) / A_MILLION

    @property
    def refusal(self) -> str | None:
        """Why no more requests are sent, None while the limit is not reached."""
        spent = self.spent
        if spent is None or self.most is None or spent < self.most:
            return None
        cure = "start the same command with a larger one to go on"
        return f"not asked: {spent:.6g} is spent, max_cost is {self.most:g}; {cure}"
