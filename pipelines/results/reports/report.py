"""Reports of runs and ablations: a page, a table or a plot, as a file or as text."""

from collections.abc import Sequence
from pathlib import Path

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from pipelines.display.view import View
from pipelines.results.conditions import table_folder
from pipelines.results.overviews.gather import overview_of
from pipelines.results.reports import PAGE
from pipelines.results.reports.content import Content, gather
from pipelines.results.reports.write import format_kind, write
from pipelines.sources import DataSpec


@checks_names
def report(
    *runs: str | Path,
    out: str | Path | None = None,
    format: str | None = None,
    data: DataSpec | None = None,
    primary_metric: str | None = None,
) -> Path | str:
    """Report runs, an ablation, or the table of a `versus`, by their folders: the file that was written, or a text.

    The arguments are those of `pipelines.report`, which takes logs of other harnesses, too. Raises `UserError`.
    """
    folders = [Path(run) for run in runs]
    if missing := [folder for folder in folders if not folder.exists()]:
        raise UserError(f"there is no run {missing[0]}: longdoc runs list lists those that are there")
    file, kind = target(out, format, folders[0] if len(folders) == 1 else Path())
    if data is not None and kind != "html":
        raise UserError("data= (--data) is for the page, which shows passages; leave it out for tables and plots")
    view = _view(folders, kind, primary_metric, data)
    page_data = {"data": data} if isinstance(view, Content) else {}
    return write(view, file, kind, is_typed=out is not None, **page_data)


def target(out: str | Path | None, format: str | None, folder: Path) -> tuple[Path | None, str]:
    """The file to write, None for a text, and the kind of what is written; a page is in `folder` by default.

    Raises `UserError` for a format that there is not, a plot without a file, and a missing folder.
    """
    file = None if out is None else Path(out)
    kind = format_kind(file, format)
    if file is None and kind == "html":
        file = folder / PAGE
    if file is None and kind == "plot":
        raise UserError(f"a plot needs a file: --out report.{format}")
    if file is not None and not file.parent.is_dir():
        raise UserError(f"{file.parent} is no folder: make it, or write the report elsewhere")
    return file, kind


def _view(folders: Sequence[Path], kind: str, primary_metric: str | None, data: DataSpec | None) -> View:
    """What the folders hold: the table of a `versus`, runs of several tasks, runs of one, or an ablation."""
    if len(folders) == 1 and table_folder.is_here(folders[0]):
        if data is not None:
            raise UserError(
                "data= (--data) is for pages that show passages, and that of a versus shows none: leave it out"
            )
        return table_folder.read(folders[0], primary_metric)
    if (overview := overview_of(folders, primary_metric, ablations=kind == "html")) is not None:
        if kind == "plot" or data is not None:
            description = "data= (--data)" if data is not None else "a plot"
            raise UserError(f"{description} is for runs of one task, and these are of several: report each task apart")
        return overview
    return gather(folders, primary_metric)
