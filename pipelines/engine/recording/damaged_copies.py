"""Damaged files are kept under another name, so that nothing of them is lost."""

import os
import shutil
from pathlib import Path


def keep_copy(file: Path) -> Path:
    """Give a file a further name, the first free one of `NAME.damaged-1`, `NAME.damaged-2` …"""
    number = 1
    while (copy := file.with_name(f"{file.name}.damaged-{number}")).exists():
        number += 1
    try:
        os.link(file, copy)
    except OSError:  # file systems without links
        shutil.copyfile(file, copy)
    return copy
