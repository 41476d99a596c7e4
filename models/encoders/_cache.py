"""Vectors that were computed before: one .npy file for each list of texts and encoder.

They lie in `embeddings/` under the folder that the environment variable LONGDOC_CACHE names (default
`~/.cache/longdoc`) and may be deleted at any time.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from longdoc.errors import UserError
from models.encoders import Vectors


def kept(identity: Mapping[str, Any], texts: Sequence[str], compute: Callable[[], Vectors]) -> Vectors:
    """The vectors of `texts` from the cache, else computed and kept; a broken file is computed anew.

    Raises `UserError` where the cache cannot be written.
    """
    path = _folder() / f"{_key(identity, texts)}.npy"
    vectors = _read(path, len(texts))
    if vectors is None:
        part = _begun(path)  # before the work, which may take an hour
        try:
            vectors = compute()
            _write(part, path, vectors)
        finally:
            part.unlink(missing_ok=True)
    return vectors


def _folder() -> Path:
    return Path(os.environ.get("LONGDOC_CACHE") or Path.home() / ".cache" / "longdoc") / "embeddings"


def _key(identity: Mapping[str, Any], texts: Sequence[str]) -> str:
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode())
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)  # the length keeps ["ab", "c"] and ["a", "bc"] apart
    return digest.hexdigest()


def _read(path: Path, rows: int) -> Vectors | None:
    try:
        with path.open("rb") as file:
            vectors: Vectors = np.lib.format.read_array(file, allow_pickle=False)
    except (OSError, ValueError):
        return None
    return vectors if vectors.dtype == np.float32 and vectors.shape[:-1] == (rows,) else None


def _begun(path: Path) -> Path:
    """An empty file beside `path`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError as error:
        raise _refused(path, error) from None
    os.close(descriptor)
    return Path(name)


def _write(part: Path, path: Path, vectors: Vectors) -> None:
    try:
        with part.open("wb") as file:
            np.save(file, vectors, allow_pickle=False)
        part.replace(path)  # whole or not at all, however many runs write it
    except OSError as error:
        raise _refused(path, error) from None


def _refused(path: Path, error: OSError) -> UserError:
    return UserError(
        f"cannot keep vectors in {path.parent}: {error.strerror}; set LONGDOC_CACHE to a folder that can be written, "
        "or give the encoder cache=false, as in dense:{minilm:cache=false}"
    )
