"""Reports of runs and ablations: the HTML page, tables for papers, plots."""

import shlex
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from longdoc.links import refuse_link
from longdoc.messages import note
from pipelines.results.reports.checked_page import is_damaged

if TYPE_CHECKING:
    from pipelines.results.ablations.ablation import Ablation
    from pipelines.sources import Dataset

PAGE = "report.html"
DAY = 86_400_000_000_000  # nanoseconds; clocks of file servers differ by less
SHOWN_FILES = ("predictions.jsonl", "scores.json", "ablation.json")  # files whose content a page shows


def write_for(folder: Path, dataset: "Dataset | None", ablation: "Ablation | None" = None) -> Path:
    """Write the page of a finished run, or of an ablation, into its folder. `dataset` is its data, None to read them.

    An outdated page is removed first, so that nobody reads it while this one is made, or if that is interrupted. Raises
    `UserError` for a folder without a finished run.
    """
    from pipelines.results.reports import content, html

    page = folder / PAGE
    refuse_link(page)
    if is_stale(folder, _cells(ablation)):
        if page.is_file() and is_damaged(page):
            note(f"{page} is damaged (its checksum is wrong): writing it again")
        page.unlink(missing_ok=True)
    page_content = content.gather(folder if ablation is None else ablation)
    return html.write(page_content, page, dataset=dataset, is_typed=False)


def is_stale(folder: Path, cells: Iterable[Path] = ()) -> bool:
    """Whether the page of a finished run is missing, damaged, or older than its predictions or scores.

    A page from the future counts as stale, as a wrong clock dated it. For an ablation `cells` are the folders of its
    runs, which its page shows, too.
    """
    page = folder / PAGE
    files = [file for path in (folder, *cells) for name in SHOWN_FILES if (file := path / name).is_file()]
    if not page.is_file():
        return True
    page_time = page.stat().st_mtime_ns
    if page_time < max(file.stat().st_mtime_ns for file in files) or page_time > time.time_ns() + DAY:
        return True
    return is_damaged(page)


def remove_stale(folder: Path, ablation: "Ablation | None" = None) -> None:
    """Remove a page that is stale and will not be written again, and say so on stderr."""
    page = folder / PAGE
    if page.is_file() and is_stale(folder, _cells(ablation)):
        page.unlink()
        command = f"longdoc report {shlex.quote(str(folder))}"
        note(f"removed {page}, older than the scores; {command} makes another")


def _cells(ablation: "Ablation | None") -> list[Path]:
    """The folders of an ablation's finished runs."""
    return [] if ablation is None else [cell.folder for cell in ablation.finished if cell.folder is not None]
