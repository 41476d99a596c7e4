"""A run's folder: who it is (`run.json`), what is done (the journals), and at the end what came out.

Final files are written whole and put in place at once, so that there is never half of one.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import _unfinished, clear_unfinished, differences, write_whole
from longdoc.folders import made
from pipelines.engine import request_log
from pipelines.engine.journal import Journal, dumps
from pipelines.records import check_prediction
from pipelines.results.run_folders.record import FORMAT, read_run


class RunFolder:
    """Dataset for one run and locked: a second process on the same folder is refused, whatever kills the first."""

    def __init__(self, path: Path, record: Mapping[str, Any]) -> None:
        from filelock import FileLock, Timeout

        check_place(path)
        made(path)
        self.path = path
        self._lock = FileLock(path / ".lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise UserError(f"another process is running in {path}; wait for it, or choose another folder") from None
        try:
            self.resumed = self._settle(record)
            clear_unfinished(path)
            self.requests = Journal(
                path / "requests.jsonl", request_log.check, "left out, what it answered is asked again"
            )
            self.journal = Journal(path / "journal.jsonl", check_prediction, "left out, its example is done again")
        except BaseException:
            self._lock.release()
            raise

    def _settle(self, record: Mapping[str, Any]) -> bool:
        """Write `run.json` for a fresh run; for a known one check that it is the same. True if it is resumed."""
        known = read_run(self.path)
        if known is None:
            self.write("run.json", json.dumps({"format": FORMAT, **record}, indent=2, ensure_ascii=False) + "\n")
            return False
        differing = differences(known.get("spec", {}), record["spec"])
        if differing:
            raise UserError(
                f"{self.path} holds another run: {'; '.join(differing[:4])}. Choose another folder with out="
            )
        return True

    @property
    def damage(self) -> list[str]:
        """A line for each log that was damaged when it was opened."""
        return [f"{self.path}: {log.damage}" for log in (self.requests, self.journal) if log.damage]

    def write(self, name: str, text: str) -> None:
        """Put a whole file in place at once."""
        write_whole(self.path, name, text)

    def note(self, name: str, found: Mapping[str, Any]) -> None:
        """Put what was learned on the way under `name` in `run.json`; nothing found leaves it as it is."""
        if found:
            record = (read_run(self.path) or {}) | {name: found}
            self.write("run.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")

    def write_lines(self, name: str, records: Iterable[Any]) -> None:
        """Put a JSON Lines file in place at once."""
        self.write(name, "".join(dumps(record) + "\n" for record in records))

    def close(self) -> None:
        """Flush the journals and let the next process in."""
        self.requests.close()
        self.journal.close()
        self._lock.release()


def check_place(path: Path) -> None:
    """Raise `UserError` for a path where no run can be, whichever it is: a file, a folder with something else in it."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file; a run needs a folder: choose another with out=")
    own = (".lock", _unfinished("run.json"))
    if path.is_dir() and read_run(path) is None and any(file.name not in own for file in path.iterdir()):
        raise UserError(f"{path} holds other files and no run.json; choose an empty folder with out=")
