"""A run's folder: its record (`run.json`), the logs of replies and finished examples, and the final files.

The record and final files are replaced atomically, so that none is ever incomplete.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from longdoc import files
from longdoc.errors import UserError
from longdoc.files import clear_unfinished, finished_name, make_folder, sync_folder, write_whole
from longdoc.links import refuse_links_in
from pipelines.engine.recording import damaged_record, final_files, request_log
from pipelines.engine.recording.finished_examples import check_finished
from pipelines.engine.recording.journal import Journal
from pipelines.engine.recording.starts import Starts, last_start
from pipelines.records import Prediction
from pipelines.results.run_folders.record import START_ARGUMENTS, DamagedRecord, read_run, run_text
from pipelines.results.run_folders.spec_differences import differences_in_words

MAX_SHOWN = 4  # differences from another run in a message


class RunFolder:
    """A folder that is locked for one start of a run: a second process is refused, and no kill leaves the lock behind.

    `record` is what this start writes to `run.json`, and `start` its entry in `starts` there. Each line of the logs
    has the number of its start. `damage` has a line for each file that was damaged when the folder was opened; all of
    them are mended by the end of the run, from the logs.
    """

    def __init__(self, path: Path, record: Mapping[str, Any], start: Mapping[str, Any]) -> None:
        check_run_path(path)
        make_folder(path)
        self.path = path
        self._lock = locked(path)
        self._record: dict[str, Any] = {}  # what `run.json` holds
        try:
            recorded, damage = self._same_run(record)
            if recorded is None and not damage:  # before the logs, since only the record says which run they belong to
                self._write_record(record, [start])
            clear_unfinished(path)
            self._damage = [damaged_record.put_aside(path, damage)] if damage else final_files.damage(path)
            self.requests = Journal(
                path / "requests.jsonl", request_log.check, "left out, what it answered is requested again"
            )
            self.journal = open_journal(path)
            if recorded is not None:
                earlier = recorded.get("starts", [])
            else:
                earlier = damaged_record.lost_starts(record for _, record in self.requests.entries()) if damage else []
            self.starts = Starts(self._used_starts(earlier), start, self._write_starts)
            self.requests.every_line = {"start": self.starts.now}
            if recorded is not None:
                self._discard_other_scores(recorded, record)
            if recorded is not None or damage:
                self._write_record({**(recorded or {}), **record}, self.starts.all)
        except BaseException:
            self._lock.release()
            raise

    def _same_run(self, record: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
        """The record of the run in the folder (None: new or damaged), and why a damaged one cannot be read, else "".

        Raises `UserError` where it is another run. A damaged record may differ in one thing, since damage can be the
        reason.
        """
        try:
            recorded, damage = read_run(self.path), ""
        except DamagedRecord as error:
            recorded, damage = dict(error.record or {}), error.reason
        if not damage and _is_unused(self.path):
            return None, ""
        spec = (recorded or {}).get("spec", record["spec"])
        differences = differences_in_words(spec, record["spec"]) if isinstance(spec, Mapping) else []
        if len(differences) > bool(damage):
            shown_differences = "; ".join(map(str, differences[:MAX_SHOWN]))
            raise UserError(f"{self.path} holds another run ({shown_differences}): choose another folder with out=")
        if damage:
            return None, damage
        if recorded is not None and recorded.get("shard") != record.get("shard"):
            raise self._shard_error(recorded.get("shard"), record.get("shard"))
        return recorded, ""

    def _shard_error(self, recorded: str | None, shard: str | None) -> UserError:
        """The error where the folder holds another part of the run: a shard, or the whole (None)."""
        holds, part = (f"shard {name}" if name else "the whole" for name in (recorded, shard))
        hint = f"give shard={recorded!r}" if recorded else "leave shard= out"
        return UserError(
            f"{self.path} holds {holds} of this run, and this is {part} of it: {hint} to continue it, or choose "
            "another folder with out="
        )

    def _used_starts(self, starts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The starts up to the last one that the logs name; later ones wrote nothing and are not kept."""
        numbers = (last_start(record) for log in (self.requests, self.journal) for _, record in log.entries())
        return list(starts[: max(numbers, default=-1) + 1])

    def _discard_other_scores(self, recorded: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Delete final files of other metrics or another limit, as the run is not finished until this start ends."""
        if any(recorded.get(name) != record.get(name) for name in START_ARGUMENTS):
            for name in ("scores.json", "predictions.jsonl"):
                (self.path / name).unlink(missing_ok=True)
            sync_folder(self.path)  # before the record has this start's metrics and limit

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

    def write_final(self, predictions: Iterable[Prediction], content: Mapping[str, Any]) -> None:
        """Write the final files, after the logs that they are made of are safe on the disk."""
        self.write_scores(self.write_predictions(predictions), content)

    def write_predictions(self, predictions: Iterable[Prediction]) -> str:
        """Write the final predictions, after the logs are safe on the disk. Returns the SHA-256 sum of their file."""
        self._sync_logs()
        return final_files.write_predictions(self.path, predictions)

    def write_scores(self, digest: str, content: Mapping[str, Any]) -> None:
        """Write the scores, with the SHA-256 sum of the predictions' file that they are computed from."""
        final_files.write_scores(self.path, digest, content)

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
    lock = files.locked(path)
    if lock is None:
        raise UserError(f"another process is running in {path}; wait for it, or choose another folder")
    return lock


def open_journal(path: Path) -> Journal:
    """The journal of a run's folder, with its finished examples; of several lines of one example the last counts."""
    return Journal(path / "journal.jsonl", check_finished, "left out, its example is run again")


def check_run_path(path: Path) -> None:
    """Raise `UserError` for a path that cannot be a run's folder: a file, or a folder with other content or links."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file; a run needs a folder: choose another with out=")
    refuse_links_in(path)  # before anything is paid for
    if path.is_dir() and not holds_run(path) and not all(_is_of_a_start(file.name) for file in path.iterdir()):
        raise UserError(f"{path} holds other files and no run.json; choose an empty folder with out=")


def _is_unused(path: Path) -> bool:
    """Whether a run's folder has no reply and no prediction, as after a start that failed at once."""
    return all(
        _is_of_a_start(file.name)
        or file.name == "run.json"
        or (file.name in ("requests.jsonl", "journal.jsonl") and not file.stat().st_size)
        for file in path.iterdir()
    )


def _is_of_a_start(name: str) -> bool:
    """Whether a start that is killed before it writes its record leaves a file of this name."""
    return name == files.LOCK_NAME or finished_name(name) == "run.json"


def holds_run(path: Path) -> bool:
    """Whether a folder has a `run.json`, damaged or not. Raises `UserError` for one of another format."""
    try:
        return read_run(path) is not None
    except DamagedRecord:
        return True
