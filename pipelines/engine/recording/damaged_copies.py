"""Copies of damaged files, so that nothing of them is lost."""

import os
import shutil
from pathlib import Path

from longdoc.links import new_file, refuse_link


def keep_copy(file: Path) -> Path:
    """Keep a file under another name as well: the first free one of `NAME.damaged-1`, `NAME.damaged-2` …"""
    refuse_link(file)
    number = 1
    while os.path.lexists(copy := file.with_name(f"{file.name}.damaged-{number}")):  # true for a broken link as well
        number += 1
    try:
        os.link(file, copy)
    except OSError:  # a file system without links
        with file.open("rb") as source, new_file(copy) as target:
            shutil.copyfileobj(source, target)
    return copy
