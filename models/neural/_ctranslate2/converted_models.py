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
    """The converted network of a model's folder, and what is to be known of it beside.

    `convert` writes the files into an empty folder and returns the latter; it is called where no whole copy is kept.
    Raises `UserError` where the cache cannot be written or is full.
    """
    place = home() / f"{source.name[:40]}-{_digest(source, version)}"
    if (known_fields := _whole_values(place)) is not None:
        return place, known_fields
    from filelock import FileLock

    try:
        caches.make(place.parent)
        with FileLock(place.with_suffix(".lock")):
            if (known_fields := _whole_values(place)) is None:  # another process may have made it meanwhile
                known_fields = _make(place, convert)
            return place, known_fields
    except OSError as error:
        raise UserError(
            f"cannot keep the converted model in {place.parent}: {error}; set LONGDOC_CACHE to a folder with room that "
            f"can be written, or leave backend=ctranslate2 out"
        ) from error


def _make(place: Path, convert: Convert) -> dict[str, Any]:
    """Convert into a folder beside, then give it its name: nobody sees half a copy."""
    unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=place.parent))
    try:
        known_fields = convert(unfinished)
        files = {file.name: digest_of(file) for file in sorted(unfinished.iterdir())}
        description = json.dumps({**known_fields, "files": files}, indent=1)
        (unfinished / DESCRIPTION).write_text(description + "\n", encoding="utf-8")
        if place.exists():
            shutil.rmtree(place)
        unfinished.rename(place)
    finally:
        with suppress(OSError):
            shutil.rmtree(unfinished)
    return known_fields


def _whole_values(place: Path) -> dict[str, Any] | None:
    """What is known of a kept network; None where there is none, or its files are not those that were written."""
    try:
        known_value = plain_json.loads((place / DESCRIPTION).read_bytes())
        if not isinstance(known_value, dict) or not isinstance(files := known_value.pop("files", None), dict):
            return None
        is_whole = all(digest_of(place / name) == checksum for name, checksum in files.items())
        return known_value if is_whole else None
    except (OSError, ValueError):
        return None


def _digest(source: Path, version: str) -> str:
    digest = hashlib.sha256(f"{FORMAT} {version} {hub.fingerprint(source)}".encode())
    for name in SETTINGS:
        digest.update((source / name).read_bytes() if (source / name).is_file() else b"\0")
    return digest.hexdigest()[:16]
