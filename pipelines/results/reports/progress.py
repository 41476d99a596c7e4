"""The progress of a report: a bar on a terminal, elsewhere a line a minute through the logger `longdoc.progress`."""

import logging
import time
from collections.abc import Callable
from types import TracebackType

from longdoc.messages import INTERVAL, LogLines, counted
from pipelines.display import terminal
from pipelines.display.numbers import duration

LOGGER = logging.getLogger("longdoc.progress")


class Progress:
    """Shows how many examples are in the page so far, and the time left."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic, interval: float = INTERVAL) -> None:
        self._total, self._done = total, 0
        self._clock, self._started = clock, clock()
        self._lines = LogLines(LOGGER, clock, interval)
        self._bar = terminal.progress_bar("report", "examples")
        if self._bar is not None:
            self._task = self._bar.add_task("report", total=total)

    def __enter__(self) -> "Progress":
        """Show the bar."""
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def advance(self, examples: int) -> None:
        """Add finished examples; log a line if it is time for one."""
        self._done += examples
        if self._bar is not None:
            self._bar.update(self._task, advance=examples)
        else:
            self._lines.say(self._line)

    def _line(self) -> str:
        """`report: 1,200 of 10,000 examples, about 2 min left`."""
        seconds_left = max(self._total - self._done, 0) * (self._clock() - self._started) / max(self._done, 1)
        return f"report: {self._done:,} of {counted(self._total, 'example')}, about {duration(seconds_left)} left"
