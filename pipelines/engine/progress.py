"""A progress bar on a terminal; nothing elsewhere, nor on a terminal that cannot move its cursor."""

import sys
import time
from types import TracebackType
from typing import Any

from pipelines.results.display import terminal


class Progress:
    """Documents, examples, tokens per second and time left, on stderr if it is a terminal."""

    def __init__(self, total: int | None, done: int = 0, quiet: bool = False) -> None:
        self._bar: Any = None
        if quiet or not sys.stderr.isatty():
            return
        console = terminal.console(stderr=True)
        if console.is_dumb_terminal:
            return
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (
            TextColumn("{task.fields[documents]} documents"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("examples  {task.fields[speed]} tokens/s"),
            TimeRemainingColumn(),
        )
        self._bar = Bar(*columns, console=console, transient=True)
        self._task = self._bar.add_task("run", total=total, completed=done, documents=0, speed="-")
        self._documents: set[str] = set()
        self._tokens, self._started = 0, time.monotonic()

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

    def advance(self, document: str, tokens: int, examples: int = 1) -> None:
        """Count finished examples; `tokens` were read and written for them."""
        if self._bar is None:
            return
        self._documents |= {document} if document else set()
        self._tokens += tokens
        speed = self._tokens / max(time.monotonic() - self._started, 1e-9)
        self._bar.update(self._task, advance=examples, documents=len(self._documents), speed=f"{speed:,.0f}")
