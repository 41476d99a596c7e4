"""The command about two runs: compare."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines._cli_options import Json, show

Run = Annotated[Path, typer.Argument(help="The folder of a finished run.")]


def compare(
    a: Run,
    b: Run,
    metric: Annotated[str | None, typer.Option(help='The figure to order examples by: "f1", "rouge1" …')] = None,
    changed: Annotated[int, typer.Option(help="How many of the most changed examples to show.")] = 5,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="How often documents are drawn.")] = 2000,
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 0,
    as_json: Json = False,
) -> None:
    """Compare two runs of the same examples: differences, intervals, p, the most changed examples.

    Example: longdoc compare runs/tfidf runs/bm25 --metric f1
    """
    from pipelines.comparisons.compare import compare as compare_runs

    options = {"level": level, "resamples": resamples, "seed": seed}
    show(compare_runs(a, b, metric=metric, changed=changed, **options), as_json)  # type: ignore[arg-type]


COMMANDS = (compare,)
