"""How far the reading and encoding of documents is: a bar on a terminal, elsewhere a line a minute by `logging`."""

import time
from types import TracebackType

from longdoc.log_lines import LogLines
from models.encoding_progress import Encoding, watched
from pipelines.display import terminal
from pipelines.display.numbers import duration
from pipelines.engine.running.progress import LOGGER

SOON_LIMIT = 1.0  # seconds that something may take before a bar is drawn
MANY_LIMIT = 64  # passages whose encoding takes longer


class IndexProgress:
    """Counts files read and passages encoded within a block.

    `encoded` is what the encoders told last of each folder of vectors.
    """

    def __init__(self) -> None:
        self.encoded: dict[str, Encoding] = {}
        self.computed = 0  # passages that were not kept before
        self._bar = None
        self._lines = LogLines(LOGGER)
        self._started = time.monotonic()

    def __enter__(self) -> "IndexProgress":
        """Watch the encoders."""
        self._watched = watched(self._encoding)
        self._watched.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar."""
        self._watched.__exit__(kind, error, trace)
        self._end()

    def read(self, done: int, total: int) -> None:
        """Count files that were read."""
        self._show("reading", done, total, 0)

    def _encoding(self, encoding: Encoding) -> None:
        known_encoding = self.encoded.get(str(encoding.folder))
        if (
            known_encoding is None
            or encoding.texts != known_encoding.texts
            or encoding.found != known_encoding.found
            or encoding.done < known_encoding.done
        ):
            self._end()  # another call begins: its rate is its own
            known_encoding = None
        self.computed += encoding.done - (encoding.found if known_encoding is None else known_encoding.done)
        self.encoded[str(encoding.folder)] = encoding
        self._show("encoding", encoding.done, encoding.texts, encoding.found)

    def _show(self, activity: str, done: int, total: int, count: int) -> None:
        """Show `done` of `total`, of which `count` took no time."""
        elapsed = max(time.monotonic() - self._started, 1e-9)
        description = "files" if activity == "reading" else "passages"
        rate = (done - count) / elapsed
        speed = f"{rate:,.1f}/s" if done > count else ""
        if self._bar is None and (elapsed > SOON_LIMIT or (activity == "encoding" and total - done > MANY_LIMIT)):
            self._bar = terminal.progress_bar("{task.description}", "{task.fields[what]} {task.fields[speed]}")
            if self._bar is not None:
                self._task = self._bar.add_task(activity, total=total, completed=done, what=description, speed=speed)
                self._bar.start()
        if self._bar is not None:
            self._bar.update(
                self._task, description=activity, total=total, completed=done, what=description, speed=speed
            )
        elif done > count:
            left = f", about {duration((total - done) / rate)} left" if done < total else ""
            self._lines.say(lambda: f"{activity}: {done:,} of {total:,} {description}, {speed}{left}")

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar = None
        self._started = time.monotonic()
