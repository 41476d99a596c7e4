"""The folder of a training: locked while it goes on, and its record, `training.json`."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longdoc import locks, plain_json, record_checks
from longdoc.errors import UserError
from longdoc.files import clear_unfinished, finished_name, write_whole
from longdoc.folders import make_folder
from longdoc.links import refuse_links_below
from pipelines.engine import interruption_note
from pipelines.results.run_folders.record import check_format
from pipelines.results.run_folders.spec_differences import differences_in_words
from pipelines.training.shared import card, ranks

FORMAT = 1
NAME = "training.json"
MAX_SHOWN = 4  # differences of another training that are named


@contextmanager
def exclusive(out: Path, spec: Mapping[str, Any]) -> Iterator[dict[str, Any] | None]:
    """`_locked` by the main process; the others wait for it and get the same value."""
    if ranks.is_main():
        with _locked(out, spec) as known_fields:
            yield ranks.shared(known_fields)
    else:
        yield ranks.shared(None)


@contextmanager
def _locked(out: Path, spec: Mapping[str, Any]) -> Iterator[dict[str, Any] | None]:
    """The folder, locked; the record of a finished training, else None. Raises `UserError` for another training's."""
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; a trained reader needs a folder: choose another with out=")
    make_folder(out)
    refuse_links_below(out)  # libraries write the weights, through whatever is there
    lock = locks.locked(out)
    if lock is None:
        raise UserError(f"another process trains in {out}; wait for it, or choose another folder")
    try:
        known_fields = _saved_record(out)
        if known_fields is None:
            if any(path.name != locks.NAME and finished_name(path.name) != NAME for path in out.iterdir()):
                raise UserError(f"{out} holds other files and no {NAME}; choose an empty folder with out=")
            command = {"command": typed_text} if (typed_text := interruption_note.typed_command.get()) else {}
            record = {"format": FORMAT, "spec": spec, **command}
            write_whole(out, NAME, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        elif differing_entries := differences_in_words(known_fields["spec"], spec):
            named_text = "; ".join(map(str, differing_entries[:MAX_SHOWN]))
            raise UserError(f"{out} holds another training ({named_text}): choose another folder with out=")
        clear_unfinished(out)
        yield known_fields if known_fields is not None and "metrics" in known_fields else None
    finally:
        lock.release()


_mapping = record_checks.mapping(lambda value: True)
RECORD = {"spec": _mapping}, {"metrics": _mapping}  # of `training.json`: required and optional keys


def _saved_record(out: Path) -> dict[str, Any] | None:
    path = out / NAME
    if not path.is_file():
        return None
    try:
        record = plain_json.loads(path.read_bytes())
    except ValueError as error:
        raise UserError(f"{path} is broken ({error}); choose another folder with out=") from None
    if not isinstance(record, dict) or "spec" not in record:
        raise UserError(f"{path} is no record of a training; choose another folder with out=")
    check_format(record, range(FORMAT, FORMAT + 1), out)
    try:
        record_checks.check(record, *RECORD)
        record_checks.check(record["spec"], {"validation": record_checks.text})
    except record_checks.Malformed as error:
        raise UserError(f"{path} is damaged ({error}); choose another folder with out=") from None
    return record


def finish(out: Path, record: Mapping[str, Any]) -> None:
    """Write the record and the card of a finished training."""
    shutil.rmtree(out / "checkpoints", ignore_errors=True)
    write_whole(out, "README.md", card.text(record))
    write_whole(out, NAME, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
