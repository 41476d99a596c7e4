"""Writing the index page, again and again while runs are in progress."""

import time
from collections.abc import Sequence
from pathlib import Path

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.links import refuse_link
from pipelines.results.index_page import browser, page
from pipelines.results.index_page.gather import Gatherer

NAME = "index.html"
INTERVAL = 5  # seconds between two looks at the folders
SHARE = 4  # wait at least so many times as long as a look takes
LOOKS = 2  # looks in a row without a running run, after which the page is final
HEAD = 1000  # first characters of a page, which contain `MARK`


@checks_names
def view(folder: str | Path = "runs", *more_folders: str | Path, open: bool = True, follow: bool = False) -> Path:
    """Write a page of all runs, ablations, evidence tables and trained models below folders, and open it.

    The page is `index.html` in the first folder, one file that needs no network. It has state, scores and links of each
    entry, and the commands that resume unfinished ones; you can search, sort and filter it.

    - `open`: False does not open it in a browser; nor is it opened on a machine without a screen.
    - `follow`: write it again every few seconds while runs are in progress, or until Ctrl-C; the open page reloads.

    Returns the page's path. Raises `UserError` for a missing folder, and for an `index.html` that longdoc did not
    write.
    """
    index = IndexPage((folder, *more_folders))
    index.write(follow)
    if open:
        browser.open_page(index.file)
    if follow:
        index.follow()
    return index.file


class IndexPage:
    """The page of some folders. `running` is the number of runs in progress when it was last written."""

    def __init__(self, folders: Sequence[str | Path]) -> None:
        self._roots = [Path(folder) for folder in folders]
        self._entries = Gatherer(self._roots)
        self.file = self._roots[0] / NAME
        self.running = 0

    def write(self, live: bool = False) -> None:
        """Write the page; `live`: it reloads itself while runs are in progress. Raises `UserError`."""
        entries = self._entries()
        _check_ours(self.file)
        self.running = sum(entry.run.state == "running" for entry in entries if entry.cell_of is None)
        refresh = INTERVAL if live and self.running else 0
        write_whole(self.file.parent, NAME, page.text(entries, self._roots, time.time(), refresh))

    def follow(self) -> None:
        """Write the page again and again until no run is in progress, or until Ctrl-C; the last one does not reload."""
        idle_looks = 0 if self.running else LOOKS
        try:
            while idle_looks < LOOKS:
                start_time = time.monotonic()
                self.write(live=True)
                idle_looks = 0 if self.running else idle_looks + 1
                time.sleep(max(INTERVAL, SHARE * (time.monotonic() - start_time)))
        except KeyboardInterrupt:
            pass
        finally:
            self.write()


def _check_ours(file: Path) -> None:
    """Raise `UserError` for a file that longdoc did not write, and for a link."""
    refuse_link(file)
    if file.exists() and (not file.is_file() or page.MARK not in _head(file)):
        raise UserError(f"{file} is not a page that longdoc view wrote: move it, or view another folder")


def _head(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as page_file:
        return page_file.read(HEAD)
