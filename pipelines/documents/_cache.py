"""A cache of extracted texts: one JSON file for each content of a file and reader.

They are in `documents/` under the folder that LONGDOC_CACHE names (default `~/.cache/longdoc`) and may be deleted at
any time. The content, the reader and the version of its library make the key; a broken file is replaced.

Not cached: plain text, Markdown and subtitles, which are read as fast as a cached text. Splitting and indexing by words
are done anew by each command: 30 ms for a book of 140,000 words, 0.65 s for a folder of 50 books with 2.2 million words
(TF-IDF and BM25). Vectors of dense retrievers are cached by the encoders, each by its text.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from longdoc import caches, checked_json, plain_json
from longdoc.files import digest_of

Record = dict[str, Any]
UNFINISHED_SECONDS = 3600.0  # no text takes as long to write
FIELDS: dict[str, Any] = {
    "text": str,
    "title": str,
    "kind": (str, type(None)),
    "marks": list,
    "lined": bool,
    "warnings": list,
    "numbers": list,
    "headings": list,
    "tables": list,
}

_MARK = checked_json.row(checked_json.count, checked_json.text)
_SPAN = checked_json.row(checked_json.count, checked_json.count)
_HEADING = checked_json.row(checked_json.count, checked_json.count, checked_json.count, checked_json.text)


def cached(path: Path, *reader: str, make: Callable[[], Record]) -> tuple[Record, str | None]:
    """A text's record, from the cache or made and cached, and a warning if it could not be cached, else None.

    `reader` identifies what makes it; its last name is a library, whose version is part of the key.
    """
    cache_file = _folder() / f"{_key(path, reader)}.json"
    record = _read(cache_file)
    if record is not None:
        return record, None
    record = make()
    return record, _write(cache_file, record)


def _folder() -> Path:
    return caches.own_folder(caches.home() / "documents")


def _key(path: Path, reader: tuple[str, ...]) -> str:
    try:
        library = version(reader[-1])
    except PackageNotFoundError:  # the reader will raise
        library = ""
    # the name counts because titles and notes may hold it
    return sha256(json.dumps([digest_of(path), path.name, *reader, library]).encode()).hexdigest()


def _read(file: Path) -> Record | None:
    try:
        record = plain_json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    fits = isinstance(record, dict) and record.keys() == FIELDS.keys()
    fits = fits and all(isinstance(record[name], kind) for name, kind in FIELDS.items())
    fits = fits and all(map(_MARK, record["marks"])) and all(map(checked_json.text, record["warnings"]))
    fits = fits and all(map(checked_json.count, record["numbers"])) and all(map(_HEADING, record["headings"]))
    fits = fits and all(map(_SPAN, record["tables"]))
    return record if fits else None


@lru_cache(maxsize=16)  # once in each folder
def _clear_unfinished(folder: Path) -> None:
    """Delete unfinished files of killed processes, except recent ones, which another process may be writing."""
    for part in folder.glob("*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > UNFINISHED_SECONDS:
                part.unlink()


def _write(file: Path, record: Record) -> str | None:
    part = None
    try:
        caches.make(file.parent)
        _clear_unfinished(file.parent)
        descriptor, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
        part = Path(name)
        with os.fdopen(descriptor, "w", encoding="ascii") as handle:
            json.dump(record, handle)
            handle.flush()
            os.fsync(handle.fileno())
        part.replace(file)  # atomic, however many processes write it
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        problem = f"the text cannot be cached in {file.parent} ({error.strerror})"
        return f"{problem}; set LONGDOC_CACHE to a writable folder, or use --no-cache (cache=False)"
    return None
