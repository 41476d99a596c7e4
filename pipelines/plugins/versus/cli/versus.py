"""The command `versus`: the whole document, retrieval at several budgets, closed book and the oracle."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from longdoc.messages import note
from pipelines.cli.shared import lists
from pipelines.cli.shared.options import Task, option, show, show_table
from pipelines.cli.shared.run_options import takes_run_options
from pipelines.cli.shared.shared_options import Json

PASSAGES = "Passages"
READER = "Reader"


@takes_run_options(
    "versus",
    before={
        "retriever": "strategy", "k": "strategy", "budget": "strategy", "strategies": "strategy",
        "over_window": "strategy",
        "runs": "out", "predictions": "out",
    },
)  # fmt: skip
def versus(
    arguments: Mapping[str, Any],
    task: Task,
    retriever: Annotated[
        list[str] | None, option('"bm25", "dense" …; default: "best:encoder=none".', "RETRIEVER[,…]", PASSAGES)
    ] = None,
    k: Annotated[
        list[str] | None, option("How many passages, each a point of the curve.", "N[,N…]", PASSAGES, ("--k", "-k"))
    ] = None,
    budget: Annotated[
        list[str] | None,
        option('Default: "300 words,1000 words,3000 words".', "BUDGET[,…]", PASSAGES),
    ] = None,
    strategies: Annotated[
        list[str] | None,
        option('Strategies to compare too: "iterative" …', "STRATEGY[,…]", PASSAGES),
    ] = None,
    over_window: Annotated[str, option('Documents too long for the model: "cut", or "skip".', "HOW", READER)] = "cut",
    runs: Annotated[list[str] | None, option("A finished run to compare too; or LABEL=FOLDER.", "FOLDER")] = None,
    predictions: Annotated[
        list[str] | None,
        option("Predictions to compare too; or LABEL=FILE.", "FILE[,…]"),
    ] = None,
    primary_metric: Annotated[str | None, option("The score to compare; default: the first.", "SCORE")] = None,
    out: Annotated[Path | None, option("Folder of the runs; the same command resumes.", "FOLDER")] = None,
    dry_run: Annotated[bool, option("Only count requests and tokens, and their price.", flags=("--dry-run",))] = False,
    as_json: Json = False,
) -> None:
    """Compare the whole document with retrieval: scores, tokens.

    The same model reads the whole document, selected passages, gold evidence, and no document. Predictions labelled
    "whole" are those of whole documents.

    Example: longdoc versus scrolls/quality --model choices --retriever bm25,tfidf --budget "300 words,1000 words"

    Example: longdoc versus infinitebench/en_qa --predictions whole=full.jsonl,rag=rag.jsonl
    """
    from pipelines.display.table_display import show_view
    from pipelines.plugins.versus import versus as ways

    request: dict[str, Any] = {
        **arguments,
        "retriever": lists.components("retrievers", retriever or []) or None,
        "k": lists.whole_numbers("-k", k) if k else None,
        "budget": lists.pieces(budget) if budget else None,
        "strategies": lists.components("strategies", strategies or []) or None,
        "over_window": over_window,
        "runs": _labelled(runs or []),
        "predictions": _labelled(predictions or []),
        "primary_metric": primary_metric,
    }
    if dry_run:
        counts = ways.plan_versus(task, **request)
        show_table(counts, as_json)
        return
    table = ways.versus(task, out=out, **request)
    if as_json:
        show(table, True)
    else:
        show_view(table)
    if any(condition.error is not None for condition in table.ways):
        note("some ways have no result; type the same command again to continue")
        raise typer.Exit(1)


def _labelled(texts: list[str]) -> dict[str, str] | list[str]:
    """`LABEL=PATH` as a mapping, paths without labels as a list. Raises `UserError` for a label that comes twice."""
    pairs = [(text, "", text) if Path(text).exists() else text.partition("=") for text in lists.pieces(texts)]
    if not any(equals for _, equals, _ in pairs):
        return [text for text, _, _ in pairs]
    if unlabelled := next((text for text, equals, _ in pairs if not equals), None):
        raise UserError(f"give {unlabelled} a label too, as in LABEL={unlabelled}")
    if empty := next((label for label, equals, path in pairs if equals and not path), None):
        raise UserError(f"{empty}= has no path: give {empty}=PATH")
    names = [label for label, _, _ in pairs]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"the label {repeated!r} is given twice: give each way its own")
    return {label: path for label, _, path in pairs}
