"""The command `analyze route-rule`: fit when to read the whole document after a retrieved answer."""

from pathlib import Path
from typing import Annotated

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import option, show_table
from pipelines.cli.shared.shared_options import AllowCode, Json


def route_rule(
    predictions: Annotated[
        list[str],
        typer.Argument(
            metavar="TASK=WHOLE,RETRIEVED…",
            help="For each task, once or more often, files of predictions with whole documents and with retrieval.",
        ),
    ],
    budget: Annotated[float | None, option("The share of the documents' tokens that may be read.", "SHARE")] = None,
    risk: Annotated[
        float | None, option("The points of 1 that may be lost in expectation by not reading on.", "SHARE")
    ] = None,
    out: Annotated[Path | None, option("Where the rule is written, as JSON.", "FILE")] = None,
    data: Annotated[str | None, option("The data, where files lack questions or documents.", "PATH")] = None,
    retrieved_tokens: Annotated[
        float | None, option("Of the passages of one question, as a share of a document.", "SHARE")
    ] = None,
    metric: Annotated[str, option("Whose first score of an answer counts.", "METRIC")] = "f1",
    seed: Annotated[int, option("Of the documents that the weights are fitted on, with --risk.", "N")] = 0,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Fit when to read the whole document after a retrieved answer.

    On predictions of one system with whole documents and with retrieval; no model is asked. The table compares the
    rule, cross-validated by document, with always, never, and reading on where retrieval refuses.

    Example: longdoc analyze route-rule lara/location=full.jsonl,rag.jsonl --budget 0.3 --out route.json
    """
    from pipelines.evaluation.routing.route_rule import route_rule as fit

    show_table(
        fit(
            _files_by_task(predictions),
            budget=budget,
            risk=risk,
            out=out,
            data=data,
            retrieved_tokens=retrieved_tokens,
            metric=metric,
            seed=seed,
        ),
        as_json,
    )


def _files_by_task(texts: list[str]) -> dict[str, list[str]]:
    """`TASK=WHOLE,RETRIEVED`, a task once or more often, taken apart. Raises `UserError`."""
    files: dict[str, list[str]] = {}
    for text in texts:
        task, equals, paths = text.partition("=")
        if not equals or paths.count(",") != 1:
            raise UserError(f"{text!r} is not TASK=WHOLE,RETRIEVED, as lara/location=full.jsonl,rag.jsonl")
        files.setdefault(task, []).extend(paths.split(","))
    return files
