"""The command that shows what runs and ablations came to: a page, a table, a plot."""

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
    data: Annotated[
        str | None, option("Where the documents are now; default: where the runs had them.", "PATH")
    ] = None,
    primary_metric: Annotated[
        str | None, option("The score to lead with; default: the first, or the ablation's.", "SCORE")
    ] = None,
    cluster: Annotated[
        str | None, option("Of logs: the field that says which samples belong together.", "FIELD")
    ] = None,
) -> None:
    """Report runs, an ablation or logs of others as a page or table.

    Without --out and --format the page is written: into the folder of one run or ablation, else here. Tables are
    printed.

    Example: longdoc report runs/bm25 runs/tfidf --out report.html

    Example: longdoc report runs/ablation --primary-metric f1 --out table.tex

    Example: longdoc report logs/a.eval logs/b.eval --cluster document --out report.html
    """
    from pipelines.evaluation.report import report as write

    result = write(*runs, out=out, format=format, data=data, primary_metric=primary_metric, cluster=cluster)
    print(terminal.visible(str(result)))
