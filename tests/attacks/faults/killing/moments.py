"""The moments of a process at which it can be killed: what it is about to do to files, and steps of its work.

Each moment has a kind. A process counts its moments, and one that was given a `Kill` ends by SIGKILL at that number of
that kind; at a write it may write a part first.
"""

import os
import re
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tests.attacks.faults.file_events import Event, watched

KIND_PATTERNS = (  # the kind of moment by the path below the trial's folder; the first that matches
    (r"\.\w+\.(merging|replaced)\b", "merge"),
    (r"files/", "batch files"),
    (r"requests\.jsonl", "request log"),
    (r"journal\.jsonl", "journal"),
    (r"run\.json", "run.json"),
    (r"predictions\.jsonl", "predictions"),
    (r"scores\.json", "scores"),
    (r"shard\.jsonl", "shard file"),
    (r"ablation\.json", "ablation record"),
    (r"versus\.json|given-\d+\.json", "versus record"),
    (r"judge", "verdicts"),
    (r"\.html", "report"),
    (r"cells/|evidence\.(json|csv|md)|\.svg", "evidence table"),
    (r"embeddings/", "vectors"),
    (r"answer\.txt", "answer"),
    (r"replies/", "shared replies"),
    (r"documents/|texts/", "texts of files"),
)
RANDOM = "any instant"  # the parent kills, wherever the process is


@dataclass(frozen=True)
class Kill:
    """At the `number`-th moment of a kind, from 0; of a write, after `part` of its bytes. RANDOM: after `seconds`."""

    kind: str
    number: int = 0
    part: float = 0.0
    seconds: float = 0.0


class _Moments:
    """The moments of this process so far, by kind."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.kill: Kill | None = None
        self.lock = threading.RLock()

    def reach(self, kind: str, event: Event | None = None) -> None:
        with self.lock:
            number, self.counts[kind] = self.counts[kind], self.counts[kind] + 1
            if self.kill is not None and (self.kill.kind, self.kill.number) == (kind, number):
                if event is not None and event.kind == "write":
                    _write_part(event, self.kill.part)
                os.kill(os.getpid(), signal.SIGKILL)
                threading.Event().wait()  # the signal ends all threads, this one perhaps a little later


_HERE = _Moments()


def moment(kind: str) -> None:
    """A step of the work is reached."""
    _HERE.reach(kind)


def _write_part(event: Event, part: float) -> None:
    file = os.open(event.path, os.O_WRONLY)
    os.pwrite(file, event.data[: int(part * len(event.data))], event.position)
    os.close(file)


def kind_of(path: Path, folder: Path) -> str:
    """The kind of moment of a file's event."""
    path_inside = path.relative_to(folder).as_posix()
    return next(
        (kind for pattern, kind in KIND_PATTERNS if re.search(pattern, path_inside)),
        "folder" if not path.suffix else f"other: {path.name}",
    )


@contextmanager
def count_moments(folder: Path, kill: Kill | None) -> Iterator[Counter[str]]:
    """Count the moments of this process, whose files are below `folder`, and end it at that of `kill`."""
    from pipelines.engine.planning import sampling
    from pipelines.engine.preparation.index_cache import IndexCache

    _HERE.counts, _HERE.kill = Counter(), kill
    with ExitStack() as stack:
        enter = stack.enter_context
        enter(watched(folder, lambda event: _HERE.reach(kind_of(event.path, folder), event)))
        enter(
            mock.patch.object(sampling, "limited_examples", _with_moment_per_item("reading", sampling.limited_examples))
        )
        enter(mock.patch.object(IndexCache, "chunks", _with_moments_around("splitting", IndexCache.chunks)))
        enter(mock.patch.object(IndexCache, "index", _with_moments_around("indexing", IndexCache.index)))
        enter(mock.patch.object(sqlite3, "connect", _watched_database(sqlite3.connect)))
        yield _HERE.counts


def _with_moment_per_item(kind: str, real: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    def call(*arguments: Any, **named: Any) -> Iterator[Any]:
        for item in real(*arguments, **named):
            moment(kind)
            yield item

    return call


def _with_moments_around(kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        moment(kind)
        result = real(*arguments, **named)
        moment(kind)
        return result

    return call


class _Database(sqlite3.Connection):
    """A connection whose statements and commits are moments; its pages are written before the commit."""

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        moment("shared replies")
        return super().execute(*arguments)

    def __exit__(self, *arguments: Any) -> Any:
        moment("shared replies")
        result = super().__exit__(*arguments)
        moment("shared replies")
        return result


def _watched_database(real: Callable[..., sqlite3.Connection]) -> Callable[..., sqlite3.Connection]:
    def call(*arguments: Any, **named: Any) -> sqlite3.Connection:
        database = real(*arguments, **named, factory=_Database)
        sqlite3.Connection.execute(database, "PRAGMA cache_size = 1")
        return database

    return call
