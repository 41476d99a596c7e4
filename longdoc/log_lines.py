"""A line a minute through `logging` about work that takes long, for where there is no terminal to draw a bar on."""

import logging
import time
from collections.abc import Callable

INTERVAL = 60.0  # seconds


class LogLines:
    """Logs a line at most every `interval` seconds, the first that long after it was made.

    Lines have the level INFO; `logging.basicConfig(level=logging.INFO)` shows them, and the command line does.
    """

    def __init__(
        self, logger: logging.Logger, clock: Callable[[], float] = time.monotonic, interval: float = INTERVAL
    ) -> None:
        self._logger, self._clock, self._interval = logger, clock, interval
        self._last = clock()

    def say(self, line: Callable[[], str]) -> None:
        """Log a line if it is time for one; it is made only then."""
        now = self._clock()
        if now - self._last >= self._interval:
            self._last = now
            self._logger.info("%s", line())
