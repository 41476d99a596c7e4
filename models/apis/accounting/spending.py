"""What a reader behind an API has spent, and whether more may be: a counter that threads share."""

import threading
from collections.abc import Mapping

from longdoc.errors import UserError
from models.accounting.prices import check_prices, cost_by
from models.accounting.usage import Usage


class Account:
    """Counts tokens. `prices` are for a million tokens of each kind (`models.accounting.prices`); empty: not known."""

    def __init__(self, prices: Mapping[str, float], maximum: float | None) -> None:
        """Refuse prices that are none, and a bound without prices."""
        check_prices(prices)
        if maximum is not None and not prices:
            raise UserError('max_cost needs prices={"input": …, "output": …}, for a million tokens each')
        if maximum is not None and maximum <= 0:
            raise UserError(f"max_cost must be over 0, got {maximum}; leave it out for no bound")
        self.prices, self.most = dict(prices), maximum
        self._usage = Usage()
        self._lock = threading.Lock()

    def begin(self, usage: Usage) -> None:
        """Start anew after what earlier processes of the run spent."""
        with self._lock:
            self._usage = usage

    def add(self, usage: Usage) -> None:
        """Count one reply."""
        with self._lock:
            self._usage += usage

    @property
    def usage(self) -> Usage:
        """The tokens that were counted."""
        return self._usage

    @property
    def spent(self) -> float | None:
        """What all that was counted costs, None without prices."""
        return cost_by(self.prices, self._usage)

    @property
    def refusal(self) -> str | None:
        """Why no more requests are sent, None while the limit is not reached."""
        spent_value = self.spent
        if spent_value is None or self.most is None or spent_value < self.most:
            return None
        hint = "start the same command with a larger one to go on"
        return f"not asked: {spent_value:.6g} is spent, max_cost is {self.most:g}; {hint}"
