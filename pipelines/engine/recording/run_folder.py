"""A run's folder: its record (`run.json`), the logs of what is done, and the final files.

The record and final files are replaced atomically, so that none is ever incomplete.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from longdoc import locks
from longdoc.errors import UserError
from longdoc.files import _unfinished, clear_unfinished, sync_folder, write_pieces, write_whole
from longdoc.folders import make_folder
from pipelines import metrics
from pipelines.engine.recording import request_log
from pipelines.engine.recording.finished_examples import check_finished
from pipelines.engine.recording.journal import Journal, dumps
from pipelines.engine.recording.starts import Starts, last_start
from pipelines.engine.scoring import Scorer
from pipelines.results.run_folders.in_words import differences_in_words
from pipelines.results.run_folders.record import ASKED, FORMAT, read_run

SHOWN = 4  # differences of another run that are named


class RunFolder:
    """A folder that is locked for one start of a run: a second process is refused, and no kill leaves the lock behind.

    `record` is what this start writes to `run.json`, and `start` its entry in `starts` there. Each line of the logs
    names the number of its start.
    """

    def __init__(self, path: Path, record: Mapping[str, Any], start: Mapping[str, Any]) -> None:
        check_run_path(path)
        make_folder(path)
        self.path = path
        self._lock = locked(path)
        try:
            recorded = self._same_run(record)
            self.resumed = recorded is not None
            if recorded is None:  # before the logs: a folder with logs alone is nobody's
                self._write_record(record, [start])
            clear_unfinished(path)
            self.requests = Journal(
                path / "requests.jsonl", request_log.check, "left out, what it answered is requested again"
            )
            self.journal = open_journal(path)
            known = [] if recorded is None else _with_signatures(recorded, path)
            self.starts = Starts(self._used_starts(known), start, self._write_starts)
            self.requests.every_line = {"start": self.starts.now}
            if recorded is not None:
                self._discard_other_scores(recorded, record)
                self._write_record({**recorded, **record}, self.starts.all)
        except BaseException:
            self._lock.release()
            raise

    def _same_run(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """The record of the run in the folder, None for a new one. Raises `UserError` where it is another run."""
        recorded = read_run(self.path)
        differing = [] if recorded is None else differences_in_words(recorded.get("spec", {}), record["spec"])
        if differing:
            named = "; ".join(map(str, differing[:SHOWN]))
            raise UserError(f"{self.path} holds another run ({named}): choose another folder with out=")
        if recorded is not None and (there := recorded.get("shard")) != (now := record.get("shard")):
            again = f"give shard={there!r}" if there else "leave shard= out"
            holds, this = f"shard {there}" if there else "the whole", f"shard {now}" if now else "the whole"
            how = f"{again} to go on with it, or choose another folder with out="
            raise UserError(f"{self.path} holds {holds} of this run, and this is {this} of it: {how}")
        return recorded

    def _used_starts(self, starts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The starts up to the last one that the logs name: later ones wrote nothing and need not be kept."""
        named = (last_start(record) for log in (self.requests, self.journal) for _, record in log.entries())
        return list(starts[: max(named, default=-1) + 1])

    def _discard_other_scores(self, recorded: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Delete final files of other metrics or another limit: until this start ends, the run is not finished."""
        if any(recorded.get(name) != record.get(name) for name in ASKED):
            for name in ("scores.json", "predictions.jsonl"):
                (self.path / name).unlink(missing_ok=True)
            sync_folder(self.path)  # before the record says what this start asks for

    def _write_record(self, record: Mapping[str, Any], starts: Sequence[Mapping[str, Any]]) -> None:
        content = {**record, "format": FORMAT, "starts": starts}
        self.write("run.json", json.dumps({"format": FORMAT} | content, indent=2, ensure_ascii=False) + "\n")

    def _write_starts(self) -> None:
        self.update_record("starts", self.starts.all)

    @property
    def damage(self) -> list[str]:
        """A message for each log that was damaged when it was opened."""
        return [f"{self.path}: {log.damage}" for log in (self.requests, self.journal) if log.damage]

    def write(self, name: str, text: str) -> None:
        """Replace a file atomically."""
        write_whole(self.path, name, text)

    def update_record(self, name: str, value: Mapping[str, Any] | Sequence[Any]) -> None:
        """Add `name` to `run.json` after the run has started; an empty value leaves it as it is."""
        if value:
            record = (read_run(self.path) or {}) | {name: value}
            self.write("run.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")

    def write_lines(self, name: str, records: Iterable[Any]) -> None:
        """Replace a JSON Lines file atomically."""
        write_pieces(self.path, name, (f"{dumps(record)}\n".encode("utf-8", "surrogatepass") for record in records))

    def sync_logs(self) -> None:
        """Force the logs to the disk: no final file is there without the lines that it is made of."""
        self.requests.sync()
        self.journal.sync()

    def close(self) -> None:
        """Force the logs to the disk and unlock the folder."""
        with ExitStack() as last_first:
            last_first.callback(self._lock.release)
            last_first.callback(self.journal.close)
            last_first.callback(self.requests.close)


def _with_signatures(record: Mapping[str, Any], path: Path) -> list[Mapping[str, Any]]:
    """The starts of a record; one of format 3, which has no signatures, gets those of the metrics it was run with."""
    starts: list[Mapping[str, Any]] = record.get("starts", [])
    if all("signatures" in start for start in starts):
        return starts
    known, _ = metrics.recorded(path / "run.json", record.get("metrics") or {})
    signatures = Scorer(known).signatures
    return [{"signatures": signatures, **start} for start in starts]


def locked(path: Path) -> Any:
    """The lock of a run's folder, acquired. Raises `UserError` where another process has it."""
    lock = locks.locked(path)
    if lock is None:
        raise UserError(f"another process is running in {path}; wait for it, or choose another folder")
    return lock


def open_journal(path: Path) -> Journal:
    """The finished examples of a run's folder; of several lines of one example the last holds."""
    return Journal(path / "journal.jsonl", check_finished, "left out, its example is run again")


def check_run_path(path: Path) -> None:
    """Raise `UserError` for a path that cannot be a run's folder: a file, or a folder with other content."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file; a run needs a folder: choose another with out=")
    own = (".lock", _unfinished("run.json"))
    if path.is_dir() and read_run(path) is None and any(file.name not in own for file in path.iterdir()):
        raise UserError(f"{path} holds other files and no run.json; choose an empty folder with out=")
