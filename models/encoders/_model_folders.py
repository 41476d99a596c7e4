"""The folder of an encoder's model, and what tells one state of it from another."""

import hashlib
from functools import lru_cache
from pathlib import Path

from longdoc.folders import is_folder
from models.hub import PACKAGED, Fetched, folder, sampled


def find(model: str, revision: str | None) -> Fetched:
    """The folder of a model by its folder, hub id, or the name of a packaged one. Raises `UserError`."""
    local = model in PACKAGED or is_folder(model)
    return folder(model, revision) if local else _fetched(model, revision)


def revision(fetched: Fetched) -> str:
    """The commit on the hub, or the digest of a local folder."""
    return fetched.revision or _digest(fetched.path)


@lru_cache(maxsize=16)
def _fetched(model: str, revision: str | None) -> Fetched:
    return folder(model, revision)  # the hub is asked once per process, not once per document


def _digest(path: Path) -> str:
    """What tells a local folder's state from another: its configuration, and samples of its weights."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.suffix in {".json", ".txt", ".model"}:
            digest.update(f"{file.relative_to(path)}\0".encode() + file.read_bytes())
        elif file.suffix in {".safetensors", ".bin"}:
            digest.update(f"{file.relative_to(path)}\0".encode() + sampled(file))
    return digest.hexdigest()
