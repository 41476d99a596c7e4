"""The command about two runs, or two logs of other harnesses: compare."""

from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import option, show_table
from pipelines.cli.shared.shared_options import Json

Run = Annotated[Path, typer.Argument(help="The folder of a finished run, or a log of scores; A is the baseline.")]


def compare(
    a: Run,
    b: Run,
    primary_metric: Annotated[
        str | None, option('The score that orders the examples: "f1", "rouge1" …', "SCORE")
    ] = None,
    changed: Annotated[int, option("How many of the most changed examples to show.", "N")] = 5,
    level: Annotated[float, option("Confidence level of the intervals.", "SHARE")] = 0.95,
    resamples: Annotated[int, option("Number of bootstrap resamples.", "N")] = 2000,
    seed: Annotated[int, option("Seed of the resampling.", "N")] = 0,
    cluster: Annotated[str | None, option("For logs: the field by which samples are clustered.", "FIELD")] = None,
    fail_if: Annotated[
        list[str] | None,
        option('Exit with 1 if this holds: "f1 < baseline - 1". Repeatable.', "CONDITION"),
    ] = None,
    fail_on_doubt: Annotated[bool, option("Exit with 1 also if the data cannot decide.")] = False,
    as_json: Json = False,
) -> None:
    """Compare two runs, or logs, of the same examples.

    Prints differences with intervals and p values, and the examples that changed most.

    Example: longdoc compare runs/tfidf runs/bm25 --primary-metric f1

    Example: longdoc compare logs/before.eval logs/after.eval --cluster document --fail-if "f1 < baseline - 1"
    """
    from pipelines.api.comparing import compare as compare_runs

    if fail_on_doubt and not fail_if:
        raise UserError('--fail-on-doubt needs a condition: add --fail-if "SCORE < baseline - 1"')
    options: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    options |= {"cluster": cluster, "fail_if": fail_if or ()}
    comparison = compare_runs(a, b, primary_metric=primary_metric, changed=changed, **options)
    show_table(comparison, as_json)
    failing_verdicts = {"holds", "in doubt"} if fail_on_doubt else {"holds"}
    if any(gate.verdict in failing_verdicts for gate in comparison.gates):
        raise typer.Exit(1)
