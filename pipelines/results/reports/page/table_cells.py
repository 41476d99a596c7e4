"""The cells of a page's tables, and the addresses of runs' own pages."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: its text, lines in `small` below it, its classes.

    `href` makes the text a link. `is_best` says if a score is its column's best, None for what is no score. `sort` is
    the key that rows are sorted by, None where that is the text. `title` is what a pointer over the cell shows.
    """

    text: str
    kind: str = "number"
    small: Sequence[str] = ()
    href: str = ""
    is_best: bool | None = None
    sort: str | None = None
    title: str | None = None


def page_address(folder: Path | None, home: Path) -> str:
    """A run's page as seen from the folder `home`, empty where it has none.

    Where no relative path leads there, as on another drive, it is an address of its own.
    """
    if folder is None or not (folder / PAGE).is_file():
        return ""
    file = (folder / PAGE).resolve()
    try:
        return quote(Path(os.path.relpath(file, home.resolve())).as_posix())
    except ValueError:
        return file.as_uri()
