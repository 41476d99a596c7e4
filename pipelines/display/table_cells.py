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

    `href` makes the text a link. `is_best` tells whether a score is its column's best, None for other cells. `sort` is
    the key by which rows are sorted, None for the text itself. `title` is shown when the pointer is over the cell.
    """

    text: str
    kind: str = "number"
    small: Sequence[str] = ()
    href: str = ""
    is_best: bool | None = None
    sort: str | None = None
    title: str | None = None


def page_address(folder: Path | None, home: Path) -> str:
    """The address of a run's page, relative to the folder `home`; empty if it has no page.

    It is a `file:` address if no relative path leads there, as from another drive.
    """
    if folder is None or not (folder / PAGE).is_file():
        return ""
    file = (folder / PAGE).resolve()
    try:
        return quote(Path(os.path.relpath(file, home.resolve())).as_posix())
    except ValueError:
        return file.as_uri()
