"""Reports of runs and ablations, and of logs that other harnesses wrote."""

from pathlib import Path

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from pipelines.evaluation.score_logs import formats
from pipelines.evaluation.score_logs.log_report import log_content
from pipelines.results.reports import report as run_reports
from pipelines.results.reports.write import write
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

    Of runs of several tasks it is an overview: the scores of each system (the runs of one recipe) on each task, the
    papers' beside where they are comparable, and links to the runs' own pages. Logs of other harnesses, as `compare`
    takes them, are reported with the scores that they have; the others' differences are from the first.

    - `out`: a file, whose ending is the format: html, md, tex, csv, json, svg, pdf, png. Without it the page is
      written into the folder of a single run or ablation, else into the working folder.
    - `format`: the format, if the ending does not say it; a table without `out` is returned as text.
    - `data`: where the documents are now, if not where the runs had them (for the page, which shows passages).
    - `primary_metric`: the score that page, table and plots lead with; None: the first, or the ablation's. Of several
      tasks it is the score that is shown of each; None: that of the benchmark.
    - `cluster`: of logs: the field that says which samples belong together; None: the first of usual names.

    Raises `UserError`.
    """
    if not any(formats.is_log(run) for run in runs):
        if cluster is not None:
            raise UserError("cluster= is for logs of other harnesses: runs have their documents; leave it out")
        return run_reports.report(*runs, out=out, format=format, data=data, primary_metric=primary_metric)
    if data is not None:
        raise UserError("data= (--data) is for runs, whose passages a page shows: leave it out for logs")
    file, kind = run_reports.target(out, format, Path())
    content = log_content(runs, cluster, primary_metric, has_page=kind == "html")
    return write(content, file, kind, is_typed=out is not None)
