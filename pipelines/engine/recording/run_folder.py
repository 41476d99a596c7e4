"""A run's folder: its record (`run.json`), the logs of what is done, and the final files.

The record and final files are replaced atomically, so that none is ever incomplete.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import _unfinished, clear_unfinished, differences, write_whole
from longdoc.folders import make_folder
from pipelines.engine.recording import request_log
from pipelines.engine.recording.journal import Journal, dumps
from pipelines.records import check_prediction
from pipelines.results.run_folders.record import FORMAT, read_run


class RunFolder:
    """A folder that is locked for one run: a second process is refused, and no kill leaves the lock behind."""

    def __init__(self, path: Path, record: Mapping[str, Any]) -> None:
        from filelock import FileLock, Timeout

        check_run_path(path)
        make_folder(path)
        self.path = path
        self._lock = FileLock(path / ".lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise UserError(f"another process is running in {path}; wait for it, or choose another folder") from None
        try:
            self.resumed = self._start_or_resume(record)
            clear_unfinished(path)
            self.requests = Journal(
                path / "requests.jsonl", request_log.check, "left out, what it answered is requested again"
            )
            self.journal = Journal(path / "journal.jsonl", check_prediction, "left out, its example is run again")
        except BaseException:
            self._lock.release()
            raise

    def _start_or_resume(self, record: Mapping[str, Any]) -> bool:
        """Write `run.json` for a new run, or check that an old one is the same run. True if it is resumed."""
        recorded = read_run(self.path)
        if recorded is None:
            self.write("run.json", json.dumps({"format": FORMAT, **record}, indent=2, ensure_ascii=False) + "\n")
            return False
        differing = differences(recorded.get("spec", {}), record["spec"])
        if differing:
            raise UserError(
                f"{self.path} holds another run: {'; '.join(differing[:4])}. Choose another folder with out="
            )
        return True

    @property
    def damage(self) -> list[str]:
        """A message for each log that was damaged when it was opened."""
        return [f"{self.path}: {log.damage}" for log in (self.requests, self.journal) if log.damage]

    def write(self, name: str, text: str) -> None:
        """Replace a file atomically."""
        write_whole(self.path, name, text)

    def update_record(self, name: str, value: Mapping[str, Any]) -> None:
        """Add `name` to `run.json` after the run has started; an empty value leaves it as it is."""
        if value:
            record = (read_run(self.path) or {}) | {name: value}
            self.write("run.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")

    def write_lines(self, name: str, records: Iterable[Any]) -> None:
        """Replace a JSON Lines file atomically."""
        self.write(name, "".join(dumps(record) + "\n" for record in records))

    def close(self) -> None:
        """Flush the logs and unlock the folder."""
        self.requests.close()
        self.journal.close()
        self._lock.release()


def check_run_path(path: Path) -> None:
    """Raise `UserError` for a path that cannot be a run's folder: a file, or a folder with other content."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file; a run needs a folder: choose another with out=")
    own = (".lock", _unfinished("run.json"))
    if path.is_dir() and read_run(path) is None and any(file.name not in own for file in path.iterdir()):
        raise UserError(f"{path} holds other files and no run.json; choose an empty folder with out=")
