"""A run's folder: its record (`run.json`), the logs of what is done, and the final files.

The record and final files are replaced atomically, so that none is ever incomplete.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from longdoc import locks
from longdoc.errors import UserError
from longdoc.files import clear_unfinished, finished_name, sync_folder, write_whole
from longdoc.folders import make_folder
from longdoc.links import refuse_links_in
from pipelines.engine.recording import damaged_record, final_files, request_log
from pipelines.engine.recording.finished_examples import check_finished
from pipelines.engine.recording.journal import Journal
from pipelines.engine.recording.starts import Starts, last_start
from pipelines.records import Prediction
from pipelines.results.run_folders.record import START_ARGUMENTS, DamagedRecord, read_run, run_text
from pipelines.results.run_folders.spec_differences import differences_in_words

MAX_SHOWN = 4  # differences of another run that are named


class RunFolder:
    """A folder that is locked for one start of a run: a second process is refused, and no kill leaves the lock behind.

    `record` is what this start writes to `run.json`, and `start` its entry in `starts` there. Each line of the logs
    names the number of its start. `damage` says what of the folder was damaged when it was opened, a line for each
    file; all of it is mended by the end of the run, from what the logs hold.
    """

    def __init__(self, path: Path, record: Mapping[str, Any], start: Mapping[str, Any]) -> None:
        check_run_path(path)
        make_folder(path)
        self.path = path
        self._lock = locked(path)
        self._record: dict[str, Any] = {}  # what `run.json` holds
        try:
            recorded, damaged = self._same_run(record)
            if recorded is None and not damaged:  # before the logs: a folder with logs alone is nobody's
                self._write_record(record, [start])
            clear_unfinished(path)
            self._damage = [damaged_record.put_aside(path, damaged)] if damaged else final_files.damage(path)
            self.requests = Journal(
                path / "requests.jsonl", request_log.check, "left out, what it answered is requested again"
            )
            self.journal = open_journal(path)
            known_entries = (
                damaged_record.lost_starts(record for _, record in self.requests.entries()) if damaged else []
            )
            known_entries = known_entries if recorded is None else recorded.get("starts", [])
            self.starts = Starts(self._used_starts(known_entries), start, self._write_starts)
            self.requests.every_line = {"start": self.starts.now}
            if recorded is not None:
                self._discard_other_scores(recorded, record)
            if recorded is not None or damaged:
                self._write_record({**(recorded or {}), **record}, self.starts.all)
        except BaseException:
            self._lock.release()
            raise

    def _same_run(self, record: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
        """The record of the run in the folder, None for a new one, and why a damaged one cannot be read.

        Raises `UserError` where it is another run; damage may have changed one thing that decides it, not several.
        """
        try:
            recorded, damaged = read_run(self.path), ""
        except DamagedRecord as error:
            recorded, damaged = dict(error.record or {}), error.reason
        if not damaged and _is_unused(self.path):
            return None, ""
        present_value = (recorded or {}).get("spec", record["spec"])
        differing_entries = (
            differences_in_words(present_value, record["spec"]) if isinstance(present_value, Mapping) else []
        )
        if len(differing_entries) > bool(damaged):
            named_text = "; ".join(map(str, differing_entries[:MAX_SHOWN]))
            raise UserError(f"{self.path} holds another run ({named_text}): choose another folder with out=")
        if damaged:
            return None, damaged
        if recorded is not None and (present_value := recorded.get("shard")) != (now := record.get("shard")):
            text = f"give shard={present_value!r}" if present_value else "leave shard= out"
            holds, present_part = (
                f"shard {present_value}" if present_value else "the whole",
                f"shard {now}" if now else "the whole",
            )
            note = f"{text} to go on with it, or choose another folder with out="
            raise UserError(f"{self.path} holds {holds} of this run, and this is {present_part} of it: {note}")
        return recorded, ""

    def _used_starts(self, starts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The starts up to the last one that the logs name: later ones wrote nothing and need not be kept."""
        named_numbers = (last_start(record) for log in (self.requests, self.journal) for _, record in log.entries())
        return list(starts[: max(named_numbers, default=-1) + 1])

    def _discard_other_scores(self, recorded: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Delete final files of other metrics or another limit: until this start ends, the run is not finished."""
        if any(recorded.get(name) != record.get(name) for name in START_ARGUMENTS):
            for name in ("scores.json", "predictions.jsonl"):
                (self.path / name).unlink(missing_ok=True)
            sync_folder(self.path)  # before the record says what this start asks for

    def _write_record(self, record: Mapping[str, Any], starts: Sequence[Mapping[str, Any]]) -> None:
        self._record = {**record, "starts": starts}
        write_whole(self.path, "run.json", run_text(self._record))

    def _write_starts(self) -> None:
        self.update_record("starts", self.starts.all)

    @property
    def damage(self) -> list[str]:
        """A message for each file that was damaged when the folder was opened."""
        logs = [log.damage for log in (self.requests, self.journal) if log.damage]
        return [f"{self.path}: {text}" for text in (*self._damage, *logs)]

    def update_record(self, name: str, value: Mapping[str, Any] | Sequence[Any]) -> None:
        """Add `name` to `run.json` after the run has started; an empty value leaves it as it is."""
        if value:
            self._record[name] = value
            write_whole(self.path, "run.json", run_text(self._record))

    def write_final(self, predictions: Iterable[Prediction], scored: Mapping[str, Any]) -> None:
        """Write the final files; no line of the logs that they are made of is lost where they are there."""
        self.write_scores(self.write_predictions(predictions), scored)

    def write_predictions(self, predictions: Iterable[Prediction]) -> str:
        """Write the final predictions, after the logs that they are made of; the SHA-256 sum of their file."""
        self._sync_logs()
        return final_files.write_predictions(self.path, predictions)

    def write_scores(self, digest: str, scored: Mapping[str, Any]) -> None:
        """Write the scores of predictions whose file has this sum."""
        final_files.write_scores(self.path, digest, scored)

    def _sync_logs(self) -> None:
        self.requests.sync()
        self.journal.sync()

    def close(self) -> None:
        """Force the logs to the disk and unlock the folder."""
        with ExitStack() as last_first:
            last_first.callback(self._lock.release)
            last_first.callback(self.journal.close)
            last_first.callback(self.requests.close)


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
    """Raise `UserError` for a path that cannot be a run's folder: a file, or a folder with other content or links."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file; a run needs a folder: choose another with out=")
    refuse_links_in(path)  # before anything is paid for
    if path.is_dir() and not holds_run(path) and not all(_is_of_a_start(file.name) for file in path.iterdir()):
        raise UserError(f"{path} holds other files and no run.json; choose an empty folder with out=")


def _is_unused(path: Path) -> bool:
    """Whether a run's folder has no reply and no prediction, as one whose start was refused."""
    return all(
        _is_of_a_start(file.name)
        or file.name == "run.json"
        or (file.name in ("requests.jsonl", "journal.jsonl") and not file.stat().st_size)
        for file in path.iterdir()
    )


def _is_of_a_start(name: str) -> bool:
    """Whether a start that was killed before it wrote its record leaves a file of this name."""
    return name == locks.NAME or finished_name(name) == "run.json"


def holds_run(path: Path) -> bool:
    """Whether a folder is a run's, whose `run.json` may be damaged. Raises `UserError` for one of another format."""
    try:
        return read_run(path) is not None
    except DamagedRecord:
        return True
