"""The progress of reading and encoding documents: a bar on a terminal, elsewhere a line a minute by `logging`."""

import time
from types import TracebackType

from longdoc.messages import LogLines
from models.encoding_progress import Encoding, watched
from pipelines.display import terminal
from pipelines.display.numbers import duration
from pipelines.engine.running.progress import LOGGER

BAR_DELAY = 1.0  # seconds until a bar is drawn
MANY_PASSAGES = 64  # passages to encode for which a bar is drawn at once


class IndexProgress:
    """Counts files read and passages encoded within a block.

    `encoded` is the last report of the encoders about each folder of vectors.
    """

    def __init__(self) -> None:
        self.encoded: dict[str, Encoding] = {}
        self.computed = 0  # passages whose vectors were not in the cache
        self._bar = None
        self._lines = LogLines(LOGGER)
        self._started = time.monotonic()

    def __enter__(self) -> "IndexProgress":
        """Start to watch the encoders."""
        self._watched = watched(self._encoding)
        self._watched.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching, and remove the bar."""
        self._watched.__exit__(kind, error, trace)
        self._end()

    def read(self, done: int, total: int) -> None:
        """Count files that were read."""
        self._show("reading", done, total, 0)

    def _encoding(self, encoding: Encoding) -> None:
        last = self.encoded.get(str(encoding.folder))
        if last is None or encoding.texts != last.texts or encoding.found != last.found or encoding.done < last.done:
            self._end()  # another call begins: its rate is its own
            last = None
        self.computed += encoding.done - (encoding.found if last is None else last.done)
        self.encoded[str(encoding.folder)] = encoding
        self._show("encoding", encoding.done, encoding.texts, encoding.found)

    def _show(self, activity: str, done: int, total: int, cached: int) -> None:
        """Show `done` of `total`; `cached` of them took no time."""
        elapsed = max(time.monotonic() - self._started, 1e-9)
        unit = "files" if activity == "reading" else "passages"
        rate = (done - cached) / elapsed
        speed = f"{rate:,.1f}/s" if done > cached else ""
        if self._bar is None and (elapsed > BAR_DELAY or (activity == "encoding" and total - done > MANY_PASSAGES)):
            self._bar = terminal.progress_bar("{task.description}", "{task.fields[what]} {task.fields[speed]}")
            if self._bar is not None:
                self._task = self._bar.add_task(activity, total=total, completed=done, what=unit, speed=speed)
                self._bar.start()
        if self._bar is not None:
            self._bar.update(self._task, description=activity, total=total, completed=done, what=unit, speed=speed)
        elif done > cached:
            left = f", about {duration((total - done) / rate)} left" if done < total else ""
            self._lines.say(lambda: f"{activity}: {done:,} of {total:,} {unit}, {speed}{left}")

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar = None
        self._started = time.monotonic()
