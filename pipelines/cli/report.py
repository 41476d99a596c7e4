"""The command `report`: runs, ablations and logs as a page, a table or a plot."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared.options import option
from pipelines.display import terminal


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders of runs, or of one ablation; or logs of scores.")
    ],
    out: Annotated[Path | None, option("The file to write; its ending says what it is.", "FILE")] = None,
    format: Annotated[str | None, option("html, markdown, latex, csv, json, svg, pdf, png.", "FORMAT")] = None,
    data: Annotated[str | None, option("Where the documents are now, if they were moved.", "PATH")] = None,
    primary_metric: Annotated[str | None, option("The score to show first; default: as in the run.", "SCORE")] = None,
    cluster: Annotated[str | None, option("For logs: the field by which samples are clustered.", "FIELD")] = None,
) -> None:
    """Write runs, an ablation or others' logs as a page or table.

    Without --out and --format it writes an HTML page: into the folder of a single run or ablation, else into the
    current folder. With --format alone, tables are printed.

    Example: longdoc report runs/bm25 runs/tfidf --out report.html

    Example: longdoc report runs/ablation --primary-metric f1 --out table.tex

    Example: longdoc report logs/a.eval logs/b.eval --cluster document --out report.html
    """
    from pipelines.results.reports.report import report as write

    result = write(*runs, out=out, format=format, data=data, primary_metric=primary_metric, cluster=cluster)
    print(terminal.visible(str(result)))
