"""How far a run is: a bar on a terminal, elsewhere a line a minute through `logging` (logger `longdoc.progress`).

A terminal that cannot move its cursor gets the lines too.
"""

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType

from longdoc.log_lines import INTERVAL, LogLines
from longdoc.plurals import counted
from pipelines.display import terminal
from pipelines.display.numbers import duration

LOGGER = logging.getLogger("longdoc.progress")
FITTING = "the reader is being fitted"
BEAT = 1.0  # seconds between two looks at the clock


class Progress:
    """Documents, examples, tokens per second and time left. `doing` names what goes on before the first example."""

    def __init__(
        self,
        total: int | None,
        done: int = 0,
        clock: Callable[[], float] = time.monotonic,
        interval: float = INTERVAL,
    ) -> None:
        self.doing = ""
        self._total, self._earlier_values, self._clock = total, done, clock
        self._finished = self._tokens = 0
        self._documents: set[str] = set()
        self._started = clock()
        self._lines = LogLines(LOGGER, clock, interval)
        self._bar = terminal.progress_bar("{task.fields[documents]}", "examples  {task.fields[speed]} tokens/s")
        self._ended_values = threading.Event()
        if self._bar is not None:
            self._task = self._bar.add_task(
                "run", total=total, completed=done, documents=counted(0, "document"), speed="-"
            )

    def __enter__(self) -> "Progress":
        """Show the bar, or begin to log lines: also while nothing is finished, so that it is seen to be alive."""
        if self._bar is not None:
            self._bar.start()
        else:
            threading.Thread(target=self._beat, name="progress", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar; log no more lines."""
        self._ended_values.set()
        if self._bar is not None:
            self._bar.stop()

    def skip(self, examples: int) -> None:
        """Count examples that were finished by an earlier start."""
        self._earlier_values += examples
        if self._bar is not None:
            self._bar.update(self._task, advance=examples)

    def advance(self, document: str, tokens: int) -> None:
        """Count one finished example; `tokens` were read and written for it."""
        self._finished += 1
        self._documents.add(document)
        self._tokens += tokens
        if self._bar is not None:
            self._bar.update(
                self._task,
                advance=1,
                documents=counted(len(self._documents), "document"),
                speed=f"{self._speed():,.0f}",
            )

    def tick(self) -> None:
        """Log a line if it is time for one."""
        self._lines.say(self._line)

    def _beat(self) -> None:
        while not self._ended_values.wait(BEAT):
            self.tick()

    def _speed(self) -> float:
        return self._tokens / max(self._clock() - self._started, 1e-9)

    def _line(self) -> str:
        """`64 of 200 examples, 3 documents, 1,234 tokens/s, about 12 min left`."""
        done = self._earlier_values + self._finished
        parts = [counted(done, "example") if self._total is None else f"{done:,} of {counted(self._total, 'example')}"]
        elapsed = self._clock() - self._started
        if not self._finished:
            return ", ".join([*parts, self.doing or "preparing and reading", f"for {duration(elapsed)}"])
        parts += [counted(len(self._documents), "document"), f"{self._speed():,.0f} tokens/s"]
        if self._total is not None:
            left = max(self._total - done, 0) * elapsed / self._finished
            parts.append(f"about {duration(left)} left")
        return ", ".join(parts)
