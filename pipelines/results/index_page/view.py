"""Writing the index page, and again as long as runs go on."""

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
SHARE = 4  # times as long as a look takes is waited at least
LOOKS = 2  # without a run that goes on, one after the other, and the page is not written again
HEAD = 1000  # characters in which a page says what wrote it


@checks_names
def view(folder: str | Path = "runs", *more_folders: str | Path, open: bool = True, follow: bool = False) -> Path:
    """Write a page of all runs, ablations, evidence tables and trained models below folders, and open it.

    The page is `index.html` in the first folder, one file that needs no network: what each is, its state, its scores,
    links to the folders and their pages, the command that continues what is unfinished; to search, sort, filter.

    - `open`: False does not open it in a browser. Nor is it opened on a machine without a screen.
    - `follow`: go on writing it every few seconds as long as runs go on, or until Ctrl-C; the open page loads itself
      again.

    Returns the page's path. Raises `UserError` for a missing folder, and for an `index.html` of other content.
    """
    index = IndexPage((folder, *more_folders))
    index.write(follow)
    if open:
        browser.open_page(index.file)
    if follow:
        index.follow()
    return index.file


class IndexPage:
    """The page of some folders. `running` is the number of runs that go on, as of the last time it was written."""

    def __init__(self, folders: Sequence[str | Path]) -> None:
        self._roots = [Path(folder) for folder in folders]
        self._entries = Gatherer(self._roots)
        self.file = self._roots[0] / NAME
        self.running = 0

    def write(self, live: bool = False) -> None:
        """Write the page; `live`: while runs go on it loads itself again. Raises `UserError`."""
        entries = self._entries()
        _check_ours(self.file)
        self.running = sum(entry.run.state == "running" for entry in entries if entry.cell_of is None)
        refresh = INTERVAL if live and self.running else 0
        write_whole(self.file.parent, NAME, page.text(entries, self._roots, time.time(), refresh))

    def follow(self) -> None:
        """Write the page again and again, until no run goes on any more or Ctrl-C; the last one stays as it is."""
        quiet = 0 if self.running else LOOKS
        try:
            while quiet < LOOKS:
                start_time = time.monotonic()
                self.write(live=True)
                quiet = 0 if self.running else quiet + 1
                time.sleep(max(INTERVAL, SHARE * (time.monotonic() - start_time)))
        except KeyboardInterrupt:
            pass
        finally:
            self.write()


def _check_ours(file: Path) -> None:
    """Raise `UserError` for a file that this program did not write, and for a link."""
    refuse_link(file)
    if file.exists() and (not file.is_file() or page.MARK not in _head(file)):
        raise UserError(f"{file} is no page of longdoc view: move it, or view another folder")


def _head(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as text:
        return text.read(HEAD)
