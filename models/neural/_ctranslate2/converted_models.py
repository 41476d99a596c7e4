"""Converted networks on disk: `converted/` in the folder that LONGDOC_CACHE names (default `~/.cache/longdoc`).

A folder's name has a digest of the weights, the model's settings and the converter's version; its `longdoc.json` is
written last and has a checksum of each file. Two processes that need the same one wait for each other; what was damaged
is made anew. The folders may be deleted at any time.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from longdoc import caches, plain_json
from longdoc.errors import UserError
from longdoc.files import digest_of
from models import hub

DESCRIPTION = "longdoc.json"
FORMAT = 1  # of what is kept beside the converter's own files
SETTINGS = ("config.json", "generation_config.json")

Convert = Callable[[Path], dict[str, Any]]


def home() -> Path:
    """The folder of all converted networks."""
    return caches.own_folder(caches.home() / "converted")


def converted(source: Path, version: str, convert: Convert) -> tuple[Path, dict[str, Any]]:
    """The folder and the description of a model's converted network; it is converted if no intact copy is kept.

    `convert` writes the files into an empty folder and returns the description.
    Raises `UserError` where the cache cannot be written or is full.
    """
    folder = home() / f"{source.name[:40]}-{_digest(source, version)}"
    if (description := _intact_description(folder)) is not None:
        return folder, description
    from filelock import FileLock

    try:
        caches.make(folder.parent)
        with FileLock(folder.with_suffix(".lock")):
            if (description := _intact_description(folder)) is None:  # another process may have made it meanwhile
                description = _make(folder, convert)
            return folder, description
    except OSError as error:
        raise UserError(
            f"cannot keep the converted model in {folder.parent}: {error}; set LONGDOC_CACHE to a folder with room "
            f"that can be written, or leave backend=ctranslate2 out"
        ) from error


def _make(folder: Path, convert: Convert) -> dict[str, Any]:
    """Convert into a temporary folder and rename it, so that nobody sees half a copy; return the description."""
    unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=folder.parent))
    try:
        description = convert(unfinished)
        files = {file.name: digest_of(file) for file in sorted(unfinished.iterdir())}
        text = json.dumps({**description, "files": files}, indent=1)
        (unfinished / DESCRIPTION).write_text(text + "\n", encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        unfinished.rename(folder)
    finally:
        with suppress(OSError):
            shutil.rmtree(unfinished)
    return description


def _intact_description(folder: Path) -> dict[str, Any] | None:
    """The description of a kept network; None if there is none or a file is damaged."""
    try:
        description = plain_json.loads((folder / DESCRIPTION).read_bytes())
        if not isinstance(description, dict) or not isinstance(files := description.pop("files", None), dict):
            return None
        is_intact = all(digest_of(folder / name) == checksum for name, checksum in files.items())
        return description if is_intact else None
    except (OSError, ValueError):
        return None


def _digest(source: Path, version: str) -> str:
    digest = hashlib.sha256(f"{FORMAT} {version} {hub.fingerprint(source)}".encode())
    for name in SETTINGS:
        digest.update((source / name).read_bytes() if (source / name).is_file() else b"\0")
    return digest.hexdigest()[:16]
