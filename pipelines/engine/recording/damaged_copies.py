"""Damaged files are kept under another name, so that nothing of them is lost."""

import os
import shutil
from pathlib import Path

from longdoc.links import new_file, refuse_link


def keep_copy(file: Path) -> Path:
    """Give a file a further name, the first free one of `NAME.damaged-1`, `NAME.damaged-2` …"""
    refuse_link(file)
    number = 1
    while os.path.lexists(copy := file.with_name(f"{file.name}.damaged-{number}")):  # also a link that leads nowhere
        number += 1
    try:
        os.link(file, copy)
    except OSError:  # file systems without links
        with file.open("rb") as damaged, new_file(copy) as kept_binary_io:
            shutil.copyfileobj(damaged, kept_binary_io)
    return copy
