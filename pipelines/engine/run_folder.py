"""A run's folder: who it is (`run.json`), what is done (the journals), and at the end what came out.

Final files are written whole and put in place at once, so that there is never half of one.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.folders import made
from longdoc.record_checks import Malformed
from pipelines.engine import request_log
from pipelines.engine.journal import Journal, dumps
from pipelines.results.records import check_prediction
from pipelines.results.run_folders import schema

FORMAT = 2  # 2: each line of the logs has a checksum, each reply the names that its server gave itself
WRITTEN = (".json", ".jsonl", ".html", ".md")  # the kinds of files in a folder of ours


class RunFolder:
    """Opened for one run and locked: a second process on the same folder is refused, whatever kills the first."""

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


def write_whole(folder: Path, name: str, text: str) -> None:
    """Put a whole file in place at once: written beside it first, then renamed. One that is the same is left alone."""
    data, path, temporary = text.encode("utf-8", "surrogatepass"), folder / name, folder / _unfinished(name)
    if path.is_file() and path.read_bytes() == data:
        return
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def clear_unfinished(folder: Path) -> None:
    """Delete what a kill left of a file that was not yet in place; the folder must be locked."""
    for file in folder.glob(_unfinished("*")):
        if (folder / file.name.removeprefix(".").removesuffix(".tmp")).suffix in WRITTEN:
            file.unlink(missing_ok=True)


def _unfinished(name: str) -> str:
    """The name of a file that is being written."""
    return f".{name}.tmp"


def check_format(record: Mapping[str, Any], ours: int, path: Path) -> None:
    """Raise `UserError` for a folder's record that another version wrote, in a format that is not `ours`."""
    theirs = record.get("format")
    if not isinstance(theirs, int):
        raise UserError(f"the record of {path} is damaged: it has no format; choose another folder with out=")
    if theirs > ours:
        raise UserError(f"{path} was written by a newer longdoc (format {theirs}): upgrade longdoc")
    if theirs < ours:
        told = f"{path} was written by an older longdoc (format {theirs}, now {ours})"
        raise UserError(f"{told}: start the run again in another folder, with out=")


def read_run(path: Path, whole: bool = False) -> dict[str, Any] | None:
    """A folder's `run.json`, None where there is none. Raises `UserError` if it is damaged, or of another format.

    `whole`: all that decides a run must be in it.
    """
    file = path / "run.json"
    if not file.is_file():
        return None
    try:
        record = plain_json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
    except ValueError as error:
        raise UserError(f"{file} is broken ({error}); choose another folder with out=") from None
    if not isinstance(record, dict):
        raise UserError(f"{file} is broken (a {type(record).__name__}); choose another folder with out=")
    check_format(record, FORMAT, path)
    try:
        schema.check(record, whole)
    except Malformed as error:
        raise UserError(f"{file} is damaged ({error}); choose another folder with out=") from None
    return record


def differences(known: Any, fresh: Any, at: str = "") -> list[str]:
    """Where two nested mappings differ, each as `path: there X, now Y`."""
    if isinstance(known, Mapping) and isinstance(fresh, Mapping):
        keys = [*known, *(key for key in fresh if key not in known)]
        return [line for key in keys for line in differences(known.get(key), fresh.get(key), f"{at}.{key}".lstrip("."))]
    return [] if known == fresh else [f"{at}: there {json.dumps(known)}, now {json.dumps(fresh)}"]
