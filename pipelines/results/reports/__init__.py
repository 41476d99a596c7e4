"""Reports of runs and ablations: the HTML page, tables for papers, plots."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.results.ablations.records import Ablation
    from pipelines.sources import Dataset

PAGE = "report.html"


def write_for(folder: Path, dataset: "Dataset", ablation: "Ablation | None" = None) -> Path:
    """Write the page of a finished run, or of an ablation, into its folder. `dataset` is its data.

    Raises `UserError` for a folder without a finished run.
    """
    from pipelines.results.reports import content, html

    return html.write(content.gather(folder if ablation is None else ablation), folder / PAGE, dataset=dataset)


def is_stale(folder: Path) -> bool:
    """Whether a finished run has no page, or one that is older than its predictions or scores."""
    page = folder / PAGE
    if not page.is_file():
        return True
    changed = max((folder / name).stat().st_mtime_ns for name in ("predictions.jsonl", "scores.json"))
    return page.stat().st_mtime_ns < changed
