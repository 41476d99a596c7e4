"""Edits of a folder's files that no checksum finds, for tests of what is checked besides."""

import json
from pathlib import Path
from typing import Any

from longdoc import checked_json
from longdoc.files import digest_of

NAMES = ("run.json", "ablation.json", "scores.json")  # the last one has the digests of others


def resealed(folder: Path) -> None:
    """Give the files of a folder the checksums of what they hold now; those that hold no JSON stay as they are."""
    for file in (folder / name for name in NAMES if (folder / name).is_file()):
        try:
            record: Any = json.loads(file.read_bytes().decode("utf-8", "surrogatepass"))
            if not isinstance(record, dict):
                continue
            if isinstance(files := record.get("files"), dict):
                files |= {name: digest_of(folder / name) for name in files if (folder / name).is_file()}
            content = checked_json.dumps(record)
        except (ValueError, RecursionError, OSError):
            continue
        file.write_bytes(content.encode("utf-8", "surrogatepass"))
