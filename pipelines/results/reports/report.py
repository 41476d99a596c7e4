"""Reports: a page, a table or a plot, as a file or as text."""

from collections.abc import Sequence
from pathlib import Path

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from pipelines.display.view import View
from pipelines.results.kinds import ReportRequest, ResultKind, kind_of
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
    cluster: str | None = None,
) -> Path | str:
    """Report runs, an ablation, or the table of a `versus`, by their folders: the file that was written, or a text.

    Runs of several tasks give an overview: the scores of each system (the runs of one recipe) on each task, comparable
    scores from papers, and links to the runs' own pages. Logs of other harnesses, as `compare` takes them, are reported
    with the scores that they have, and their differences from the first log.

    - `out`: a file, whose ending is the format: html, md, tex, csv, json, svg, pdf, png. Without it the page is
      written into the folder of a single run or ablation, else into the working folder.
    - `format`: the format, if there is no ending; a table without `out` is returned as text.
    - `data`: where the documents are now, if they were moved (for the page, which shows passages).
    - `primary_metric`: the score that page, table and plots lead with; None: the first, or the ablation's. For several
      tasks it is the score that is shown for each; None: the benchmark's.
    - `cluster`: for logs, the field by which samples are clustered; None: the first of the usual names.

    Raises `UserError`.
    """
    folders = [Path(run) for run in runs]
    kind = kind_of(*folders)
    if kind is None and (missing := [folder for folder in folders if not folder.exists()]):
        raise UserError(f"there is no run {missing[0]}: longdoc runs list shows your runs")
    home = folders[0] if len(folders) == 1 and (kind is None or kind.keeps_page) else Path()
    file, format_name = _target(out, format, home)
    if kind is None and data is not None and format_name != "html":
        raise UserError("data= (--data) is for the page, which shows passages; leave it out for tables and plots")
    view = _view(kind, folders, ReportRequest(format_name, primary_metric, data, cluster))
    page_data = {"data": data} if isinstance(view, Content) else {}
    return write(view, file, format_name, is_typed=out is not None, **page_data)


def _target(out: str | Path | None, format: str | None, folder: Path) -> tuple[Path | None, str]:
    """The file to write (None for a text) and its kind of format; a page is written into `folder` by default.

    Raises `UserError` for an unknown format, a plot without a file, and a missing folder.
    """
    file = None if out is None else Path(out)
    kind = format_kind(file, format)
    if file is None and kind == "html":
        file = folder / PAGE
    if file is None and kind == "plot":
        raise UserError(f"a plot needs a file: --out report.{format}")
    if file is not None and not file.parent.is_dir():
        raise UserError(f"{file.parent} is not a folder: make it, or write the report elsewhere")
    return file, kind


def _view(kind: ResultKind | None, folders: Sequence[Path], request: ReportRequest) -> View:
    """The content of the folders: a plugin's results, an overview of several tasks, or runs or an ablation of one."""
    if kind is not None:
        return kind.view(folders, request)
    if request.cluster is not None:
        raise UserError("cluster= is for logs of other harnesses: runs have their documents; leave it out")
    overview = overview_of(folders, request.primary_metric, ablations=request.kind == "html")
    if overview is None:
        return gather(folders, request.primary_metric)
    if request.kind == "plot" or request.data is not None:
        description = "data= (--data)" if request.data is not None else "a plot"
        raise UserError(f"{description} is for runs of one task, and these are of several: report each task apart")
    return overview
