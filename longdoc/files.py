"""Files written atomically: a file has all of its new content or the old one, never half of it."""

import filecmp
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def write_whole(folder: Path, name: str, text: str) -> None:
    """Replace a file atomically: a temporary file is written beside it and renamed. An identical file is left alone."""
    path, data = folder / name, text.encode("utf-8", "surrogatepass")
    if not (path.is_file() and path.read_bytes() == data):
        write_pieces(folder, name, [data])


def write_pieces(folder: Path, name: str, pieces: Iterable[bytes]) -> None:
    """`write_whole` by pieces that are written as they come, so that few are in memory."""
    path, temporary = folder / name, folder / _unfinished(name)
    try:
        with temporary.open("wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if path.is_file() and filecmp.cmp(path, temporary, shallow=False):
        temporary.unlink()
    else:
        temporary.replace(path)


def differences(known: Any, fresh: Any, at: str = "") -> list[str]:
    """Where two nested mappings differ, each as `path: there X, now Y`."""
    if isinstance(known, Mapping) and isinstance(fresh, Mapping):
        keys = [*known, *(key for key in fresh if key not in known)]
        return [line for key in keys for line in differences(known.get(key), fresh.get(key), f"{at}.{key}".lstrip("."))]
    return [] if known == fresh else [f"{at}: there {json.dumps(known)}, now {json.dumps(fresh)}"]


WRITTEN = (".json", ".jsonl", ".html", ".md")  # suffixes of the files in a folder of ours


def clear_unfinished(folder: Path) -> None:
    """Delete temporary files that a killed process left; the folder must be locked."""
    for file in folder.glob(_unfinished("*")):
        if (folder / file.name.removeprefix(".").removesuffix(".tmp")).suffix in WRITTEN:
            file.unlink(missing_ok=True)


def _unfinished(name: str) -> str:
    """The name of a file that is being written."""
    return f".{name}.tmp"
