"""Folders that appear at once: made beside their place under a hidden name, then renamed."""

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from longdoc import locks
from longdoc.errors import UserError
from longdoc.files import sync_folder
from longdoc.folders import make_folder
from longdoc.links import appended, refuse_link
from pipelines.engine.recording.run_folder import check_run_path, locked
from pipelines.results.run_folders.record import read_run

LOOK_AGAIN = 0.05  # seconds
OTHER = "choose another folder with out="


def check_place(out: Path, spec: Mapping[str, Any], starts: Sequence[Mapping[str, Any]]) -> None:
    """Raise `UserError` for a folder that a merged run of `spec` must not replace.

    It replaces an empty one, and an earlier merge of the same run, unless that was started again since: then it has
    starts that are none of the shards'.
    """
    record = read_run(out)
    if record is None:
        check_run_path(out)
        return
    if "merged" not in record:
        description = f"shard {record['shard']}" if "shard" in record else "a run"
        raise UserError(f"{out} holds {description}, which was not merged from shards: {OTHER}")
    if record.get("spec") != spec:
        raise UserError(f"{out} holds another run: {OTHER}")
    if any(start not in starts for start in record.get("starts", ())):
        raise UserError(f"the run in {out} was started again since it was merged: {OTHER}, or go on in it")


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """A new folder, which takes the place of `out` at once when the block ends without an error.

    A kill leaves it beside `out`, under a name with a dot, where the next merge into `out` clears it. Raises
    `UserError` where another process uses either.
    """
    out = out.resolve()
    new, old = (out.with_name(f".{out.name}.{what_value}") for what_value in ("merging", "replaced"))
    refuse_link(new)  # what is in it is cleared
    refuse_link(old)
    lock = _locked(new)
    if lock is None:
        raise UserError(f"another process is merging into {out}; wait for it, or {OTHER}")
    try:
        _clear(new)
        yield new
        _rename(new, out, old)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    finally:
        lock.close()


def _locked(new: Path) -> BinaryIO | None:
    """The lock of the new folder, made if need be; None where another process has it.

    One that has just ended has renamed the folder, with the lock in it: then another one is made.
    """
    end = time.monotonic() + locks.LOOK
    while time.monotonic() < end:
        make_folder(new)
        with suppress(FileNotFoundError):
            file = appended(new / locks.NAME)
            if locks.lock_file(file):
                return file
            file.close()
        time.sleep(LOOK_AGAIN)
    return None


def _rename(new: Path, out: Path, old: Path) -> None:
    shutil.rmtree(old, ignore_errors=True)
    if not out.exists():
        new.rename(out)
        sync_folder(out.parent)
        return
    lock = locked(out)
    try:
        out.rename(old)
        new.rename(out)
    finally:
        lock.release()
    sync_folder(out.parent)
    shutil.rmtree(old, ignore_errors=True)


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != locks.NAME:
            path.unlink()
