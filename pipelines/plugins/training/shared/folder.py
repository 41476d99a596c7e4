"""The folder of a training, locked while it goes on, and its record, `training.json`."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longdoc import checked_json, files, plain_json
from longdoc.errors import UserError
from longdoc.files import clear_unfinished, finished_name, make_folder, write_whole
from longdoc.links import refuse_links_below
from pipelines.engine import interruption_note
from pipelines.plugins.training.shared import card, ranks
from pipelines.results.run_folders.record import check_format
from pipelines.results.run_folders.spec_differences import differences_in_words

FORMAT = 1
NAME = "training.json"
MAX_SHOWN = 4  # differences from another training in the message


@contextmanager
def exclusive(out: Path, spec: Mapping[str, Any]) -> Iterator[dict[str, Any] | None]:
    """`_locked` by the main process, whose value the other processes wait for."""
    if ranks.is_main():
        with _locked(out, spec) as finished_record:
            yield ranks.broadcast(finished_record)
    else:
        yield ranks.broadcast(None)


@contextmanager
def _locked(out: Path, spec: Mapping[str, Any]) -> Iterator[dict[str, Any] | None]:
    """Lock the folder; yields the record of a finished training, or None. Raises `UserError` for another training."""
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; a trained reader needs a folder: choose another with out=")
    make_folder(out)
    refuse_links_below(out)  # libraries write the weights, through whatever is there
    lock = files.locked(out)
    if lock is None:
        raise UserError(f"another process trains in {out}; wait for it, or choose another folder")
    try:
        saved = _saved_record(out)
        if saved is None:
            if any(path.name != files.LOCK_NAME and finished_name(path.name) != NAME for path in out.iterdir()):
                raise UserError(f"{out} holds other files and no {NAME}; choose an empty folder with out=")
            typed_command = interruption_note.typed_command.get()
            record = {"format": FORMAT, "spec": spec, **({"command": typed_command} if typed_command else {})}
            write_whole(out, NAME, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        elif spec_differences := differences_in_words(saved["spec"], spec):
            shown = "; ".join(map(str, spec_differences[:MAX_SHOWN]))
            raise UserError(f"{out} holds another training ({shown}): choose another folder with out=")
        clear_unfinished(out)
        yield saved if saved is not None and "metrics" in saved else None
    finally:
        lock.release()


_mapping = checked_json.mapping(lambda value: True)
RECORD = {"spec": _mapping}, {"metrics": _mapping}  # of `training.json`: required and optional keys


def _saved_record(out: Path) -> dict[str, Any] | None:
    """The record in the folder, None where there is none. Raises `UserError` for a damaged one."""
    path = out / NAME
    if not path.is_file():
        return None
    try:
        record = plain_json.loads(path.read_bytes())
    except ValueError as error:
        raise UserError(f"{path} is broken ({error}); choose another folder with out=") from None
    if not isinstance(record, dict) or "spec" not in record:
        raise UserError(f"{path} is not the record of a training; choose another folder with out=")
    check_format(record, range(FORMAT, FORMAT + 1), out)
    try:
        checked_json.check(record, *RECORD)
        checked_json.check(record["spec"], {"validation": checked_json.text})
    except checked_json.Malformed as error:
        raise UserError(f"{path} is damaged ({error}); choose another folder with out=") from None
    return record


def finish(out: Path, record: Mapping[str, Any]) -> None:
    """Write the record and the card of a finished training."""
    shutil.rmtree(out / "checkpoints", ignore_errors=True)
    write_whole(out, "README.md", card.text(record))
    write_whole(out, NAME, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
