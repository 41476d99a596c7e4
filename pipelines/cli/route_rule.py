"""The command `analyze route-rule`: fit when to read the whole document after a retrieved answer."""

from pathlib import Path
from typing import Annotated

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import option, show_table
from pipelines.cli.shared.shared_options import Json


def route_rule(
    predictions: Annotated[
        list[str],
        typer.Argument(
            metavar="TASK=WHOLE,RETRIEVED[,MORE]…",
            help="For each task, once or more often, files of predictions with whole documents, with retrieval, and "
            "perhaps with more passages.",
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
    more_tokens: Annotated[float | None, option("Of more passages, as a share of a document.", "SHARE")] = None,
    metric: Annotated[str, option("Whose first score of an answer counts.", "METRIC")] = "f1",
    seed: Annotated[int, option("Of the documents that the weights are fitted on, with --risk.", "N")] = 0,
    as_json: Json = False,
) -> None:
    """Fit when to read on after a retrieved answer.

    On predictions of one system with whole documents and with retrieval, and perhaps with more passages; no model is
    asked. The table compares the
    rule, cross-validated by document, with always, never, and reading on where retrieval refuses.

    Example: longdoc analyze route-rule lara/location=full.jsonl,rag.jsonl --budget 0.3 --out route.json
    """
    from pipelines.evaluation.routing.route_rule import route_rule as fit

    files, more_files = _files_by_task(predictions)
    show_table(
        fit(
            files,
            more_predictions=more_files,
            more_tokens=more_tokens,
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


def _files_by_task(texts: list[str]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The pairs of files of each task, and the files with more passages. Raises `UserError`."""
    files: dict[str, list[str]] = {}
    more_files: dict[str, list[str]] = {}
    for text in texts:
        task, equals, typed_paths = text.partition("=")
        paths = typed_paths.split(",")
        if not equals or len(paths) not in (2, 3):
            raise UserError(f"{text!r} is not TASK=WHOLE,RETRIEVED or TASK=WHOLE,RETRIEVED,MORE, as qa=a.jsonl,b.jsonl")
        files.setdefault(task, []).extend(paths[:2])
        if len(paths) > 2:
            more_files.setdefault(task, []).extend(paths[2:])
    return files, more_files
