"""The command about two runs: compare."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared.options import option, show
from pipelines.cli.shared.shared_options import AllowCode, Json
from pipelines.display import terminal

Run = Annotated[Path, typer.Argument(help="The folder of a finished run.")]


def compare(
    a: Run,
    b: Run,
    primary_metric: Annotated[
        str | None, option('The score that orders the examples: "f1", "rouge1" …', "SCORE")
    ] = None,
    changed: Annotated[int, option("How many of the most changed examples to show.", "N")] = 5,
    level: Annotated[float, option("Of the intervals.", "SHARE")] = 0.95,
    resamples: Annotated[int, option("How many bootstrap resamples.", "N")] = 2000,
    seed: Annotated[int, option("Of the resampling.", "N")] = 0,
    judge_errors: Annotated[
        Path | None,
        option("What `analyze label-agreement --judge MODEL --json` printed: corrects a judge's scores.", "FILE"),
    ] = None,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Compare two runs of the same examples.

    Differences with intervals and p, and the most changed examples.

    Example: longdoc compare runs/tfidf runs/bm25 --primary-metric f1
    """
    from pipelines.results.comparisons.compare import compare as compare_runs

    options = {"level": level, "resamples": resamples, "seed": seed, "judge_errors": judge_errors}
    comparison = compare_runs(a, b, primary_metric=primary_metric, changed=changed, **options)  # type: ignore[arg-type]
    if as_json or terminal.is_plain():
        show(comparison, as_json)
    else:
        from pipelines.display.table_display import show_view

        show_view(comparison)
