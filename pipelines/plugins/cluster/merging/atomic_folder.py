"""Write a folder at once: it is made beside its place under a hidden name, then renamed."""

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from longdoc import files
from longdoc.errors import UserError
from longdoc.files import make_folder, sync_folder
from longdoc.links import appended, refuse_link
from pipelines.engine.recording.run_folder import check_run_path, locked
from pipelines.results.run_folders.record import read_run

RETRY_SECONDS = 0.05  # between two tries to lock a folder
OTHER = "choose another folder with out="


def check_place(out: Path, spec: Mapping[str, Any], starts: Sequence[Mapping[str, Any]]) -> None:
    """Raise `UserError` for a folder that a merged run of `spec` must not replace.

    It may replace an empty folder, and an earlier merge of the same run, unless that was started again since: then it
    has starts that no shard has.
    """
    record = read_run(out)
    if record is None:
        check_run_path(out)
        return
    if "merged" not in record:
        kind = f"shard {record['shard']}" if "shard" in record else "a run"
        raise UserError(f"{out} holds {kind}, which was not merged from shards: {OTHER}")
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
    new, old = (out.with_name(f".{out.name}.{ending}") for ending in ("merging", "replaced"))
    refuse_link(new)  # its content is deleted
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

    A process that has just ended has renamed the folder with its lock: then the folder is made again.
    """
    end = time.monotonic() + files.LOCK_WAIT
    while time.monotonic() < end:
        make_folder(new)
        with suppress(FileNotFoundError):
            file = appended(new / files.LOCK_NAME)
            if files.lock_file(file):
                return file
            file.close()
        time.sleep(RETRY_SECONDS)
    return None


def _rename(new: Path, out: Path, old: Path) -> None:
    """Put a new folder in place of `out`, which is deleted."""
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
    """Delete everything in a folder but its lock."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != files.LOCK_NAME:
            path.unlink()
