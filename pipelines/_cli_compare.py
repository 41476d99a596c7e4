"""The command about two runs: compare."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines._cli_options import Json, option, show

Run = Annotated[Path, typer.Argument(help="The folder of a finished run.")]


def compare(
    a: Run,
    b: Run,
    metric: Annotated[str | None, option('The figure to order examples by: "f1", "rouge1" …', "FIGURE")] = None,
    changed: Annotated[int, option("How many of the most changed examples to show.", "N")] = 5,
    level: Annotated[float, option("Of the intervals.", "SHARE")] = 0.95,
    resamples: Annotated[int, option("How often documents are drawn.", "N")] = 2000,
    seed: Annotated[int, option("Of the draws.", "N")] = 0,
    as_json: Json = False,
) -> None:
    """Compare two runs of the same examples.

    Differences with intervals and p, and the most changed examples.

    Example: longdoc compare runs/tfidf runs/bm25 --metric f1
    """
    from pipelines.comparisons.compare import compare as compare_runs

    options = {"level": level, "resamples": resamples, "seed": seed}
    show(compare_runs(a, b, metric=metric, changed=changed, **options), as_json)  # type: ignore[arg-type]


COMMANDS = (compare,)
