"""The progress of a run: a bar on a terminal, else a line a minute through `logging` (logger `longdoc.progress`).

A terminal that cannot move its cursor gets the lines too.
"""

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType

from longdoc.messages import INTERVAL, LogLines, counted
from pipelines.display import terminal
from pipelines.display.numbers import duration
from pipelines.engine.inference.work import Work

LOGGER = logging.getLogger("longdoc.progress")
FITTING = "the reader is being fitted"
BEAT = 1.0  # seconds between two looks at the clock


class Progress:
    """Shows examples, replies, tokens per second and time left. `doing` says what happens before the first request."""

    def __init__(
        self,
        total: int | None,
        done: int = 0,
        clock: Callable[[], float] = time.monotonic,
        interval: float = INTERVAL,
    ) -> None:
        self.doing = ""
        self._total, self._finished_before, self._clock = total, done, clock
        self._finished = 0
        self._work_before = Work()
        self._work: Callable[[], Work] = Work
        self._started = clock()
        self._request_start: float | None = None
        self._lines = LogLines(LOGGER, clock, interval)
        self._bar = terminal.progress_bar(
            "{task.fields[replies]}", "examples  {task.fields[speed]}", "{task.fields[left]}"
        )
        self._end_event = threading.Event()
        if self._bar is not None:
            self._task = self._bar.add_task("run", total=total, completed=done, replies="", speed="", left="")

    def __enter__(self) -> "Progress":
        """Show the bar, or begin to log lines, even while nothing is finished, so that a run is seen to be alive."""
        if self._bar is not None:
            self._bar.start()
        threading.Thread(target=self._beat, name="progress", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar; log no more lines."""
        self._end_event.set()
        if self._bar is not None:
            self._bar.stop()

    def watch(self, work: Callable[[], Work]) -> None:
        """Take the counts of requests from `work` from now on, and add them to those of before."""
        self._work_before, self._work = self.work, work

    @property
    def work(self) -> Work:
        """The counts of requests since the start, those that wait included."""
        return self._work_before + self._work()

    def skip(self, examples: int) -> None:
        """Count examples that were finished by an earlier start."""
        self._finished_before += examples
        if self._bar is not None:
            self._bar.update(self._task, advance=examples)

    def advance(self) -> None:
        """Count one finished example."""
        self._finished += 1
        if self._bar is not None:
            self._bar.update(self._task, advance=1)

    def tick(self) -> None:
        """Log a line if it is time for one, or bring the bar up to date."""
        work = self.work
        if self._request_start is None and (work.replies or work.pending):
            self._request_start = self._clock()
        if self._bar is None:
            self._lines.say(lambda: self._line(work))
        elif work.replies:
            left = self._left(work)
            self._bar.update(self._task, replies=_replies(work), speed=self._speed(work), left=left and f"{left} left")

    def _beat(self) -> None:
        while not self._end_event.wait(BEAT):
            self.tick()

    def _elapsed(self) -> float:
        """Seconds since the first request was ready, else since the start."""
        since = self._started if self._request_start is None else self._request_start
        return max(self._clock() - since, 1e-9)

    def _speed(self, work: Work) -> str:
        return f"{work.processed_tokens / self._elapsed():,.0f} tokens/s"

    def _left(self, work: Work) -> str:
        """The time left, by the prompt tokens that are left; empty where it is not known."""
        done = self._finished_before + self._finished
        if self._total is None or not self._finished:
            return ""
        if work.answered_tokens:
            unprepared = max(self._total - self._finished_before - work.prepared, 0)
            share = work.tokens_left(unprepared) / work.answered_tokens
        else:  # there are no requests
            share = max(self._total - done, 0) / self._finished
        return f"about {duration(share * self._elapsed())}"

    def _line(self, work: Work) -> str:
        """The line to log: `64 of 200 examples, 130 replies, 1,234 tokens/s, about 12 min left`."""
        done = self._finished_before + self._finished
        parts = [counted(done, "example") if self._total is None else f"{done:,} of {counted(self._total, 'example')}"]
        if work.replies:
            parts.append(_replies(work))
            if not self._finished:
                parts.append(f"{counted(work.pending, 'request')} waiting")
            parts.append(self._speed(work))
        if left := self._left(work):
            return ", ".join([*parts, f"{left} left"])
        elapsed = duration(self._clock() - self._started)
        return f"{', '.join(parts)} after {elapsed}{self.doing and f': {self.doing}'}"


def _replies(work: Work) -> str:
    return counted(work.replies, "reply", "replies")
