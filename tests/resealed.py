"""Renews the checksums of edited files, for tests of the checks that remain."""

import json
from pathlib import Path
from typing import Any

from longdoc import checked_json
from longdoc.files import digest_of

NAMES = ("run.json", "ablation.json", "scores.json")  # the last one has digests of other files


def resealed(folder: Path) -> None:
    """Update the checksums of a folder's files after an edit; files that are not JSON are left alone."""
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
