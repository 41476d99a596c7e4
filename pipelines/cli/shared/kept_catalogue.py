"""The listing of all components, kept: to read it from the code takes half a second, as every component is imported.

It is `catalogue/components.json` under LONGDOC_CACHE, and holds as long as none of our files changes. Where entry
points bring components of others, whose files are not looked at, nothing is kept.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from longdoc import __version__, caches, layout
from longdoc.errors import UserError
from longdoc.files import write_whole

_NAME = "components.json"
Catalogue = dict[str, dict[str, dict[str, Any]]]


def kept(make: Callable[[], Catalogue]) -> Catalogue:
    """What `make` returned since our files last changed, else what it returns.

    Nothing is said where it cannot be kept or is damaged: the same is printed, half a second later.
    """
    if any(group.startswith("longdoc.") for group in entry_points().groups):
        return make()
    try:
        key = _key()
        folder = caches.own_folder(caches.home() / "catalogue")
        if (catalogue := _read(folder / _NAME, key)) is not None:
            return catalogue
    except (OSError, UserError):  # a file of ours that cannot be looked at, another user's folder
        return make()
    catalogue = make()
    with suppress(OSError, UserError):
        record = {"key": key, "checksum": _digest(catalogue), "catalogue": catalogue}
        write_whole(caches.make(folder), _NAME, json.dumps(record))
    return catalogue


def _read(path: Path, key: str) -> Catalogue | None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(record, dict) or record.get("key") != key:
        return None
    catalogue: Catalogue | None = record.get("catalogue")
    return catalogue if record.get("checksum") == _digest(catalogue) else None


def _key() -> str:
    """A digest of the versions, and of the place, size and time of each file of ours."""
    folders = {layout.LONGDOC, *(layout.HOME / package for package in layout.PACKAGES)}
    facts = sorted(fact for folder in folders for fact in _facts(str(folder)))
    return _digest([__version__, sys.version, facts])


def _digest(value: Any) -> str:
    return sha256(json.dumps(value).encode()).hexdigest()


def _facts(folder: str) -> Iterator[tuple[str, int, int]]:
    """Path, size and time of each Python file below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _facts(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
