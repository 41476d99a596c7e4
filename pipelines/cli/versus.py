"""The command `versus`: the whole document, retrieval at several budgets, closed book and the oracle."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from longdoc.visible import note
from pipelines.cli.shared import lists
from pipelines.cli.shared.options import Task, option, show, show_table
from pipelines.cli.shared.run_options import takes_run_options
from pipelines.cli.shared.shared_options import AllowCode, Json

PASSAGES = "Passages"
READER = "Reader"


@takes_run_options(
    "versus",
    before={
        "retriever": "strategy", "k": "strategy", "select": "strategy", "budget": "strategy", "strategies": "strategy",
        "over_window": "strategy",
        "runs": "out", "predictions": "out",
    },
)  # fmt: skip
def versus(
    arguments: Mapping[str, Any],
    task: Task,
    retriever: Annotated[
        list[str] | None, option('Default: "bm25". A line of the plot each.', "RETRIEVER[,…]", PASSAGES)
    ] = None,
    k: Annotated[
        list[str] | None, option("Chunks selected; each is a point of every line.", "N[,N…]", PASSAGES, ("--k", "-k"))
    ] = None,
    select: Annotated[
        list[str] | None,
        option('Or words selected, default: 300,1000,3000; or "300 tokens".', "WORDS[,…]", PASSAGES),
    ] = None,
    budget: Annotated[list[str] | None, option("Or prompt tokens.", "TOKENS[,…]", PASSAGES)] = None,
    strategies: Annotated[
        list[str] | None,
        option('Further ways: "agent:steps=6" with each retriever, "map:count" over all.', "STRATEGY[,…]", PASSAGES),
    ] = None,
    over_window: Annotated[
        str, option('A document longer than the reader\'s window: "cut", or "skip" its examples.', "HOW", READER)
    ] = "cut",
    runs: Annotated[
        list[str] | None, option("A finished run's folder as a further way; may be given again.", "[LABEL=]FOLDER")
    ] = None,
    predictions: Annotated[
        list[str] | None,
        option("A benchmark's file of predictions, FILE::SYSTEM for one of several.", "[LABEL=]FILE[,…]"),
    ] = None,
    primary_metric: Annotated[str | None, option("The score to compare; default: the first.", "SCORE")] = None,
    out: Annotated[Path | None, option("The table's folder; the same again goes on.", "FOLDER")] = None,
    dry_run: Annotated[bool, option("Only count what would be asked, and its price.", flags=("--dry-run",))] = False,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Compare the whole document with retrieval: scores, tokens.

    One reader by every way: the whole document, retrieval at several budgets, closed book, and gold evidence where
    there is some. Runs and predictions of others, given with labels, are further ways; "whole" is the whole document.

    Example: longdoc versus scrolls/quality --model choices --retriever bm25,tfidf --select 300,1000

    Example: longdoc versus infinitebench/en_qa --predictions whole=full.jsonl,rag=rag.jsonl
    """
    from pipelines.ablations.conditions import versus as ways
    from pipelines.display.table_display import show_view

    request: dict[str, Any] = {
        **arguments,
        "retriever": lists.components("retrievers", retriever or []) or None,
        "k": lists.whole_numbers("-k", k) if k else None,
        "select": [int(text) if text.isdecimal() else text for text in lists.pieces(select)] if select else None,
        "budget": lists.whole_numbers("--budget", budget) if budget else None,
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
        note("not every way has a result; the same command again goes on")
        raise typer.Exit(1)


def _labelled(given_names: list[str]) -> dict[str, str] | list[str]:
    """`LABEL=PATH` as a mapping, paths without labels as a list. Raises `UserError` for a label that comes twice."""
    pairs = [(text, "", text) if Path(text).exists() else text.partition("=") for text in lists.pieces(given_names)]
    if not any(equals for _, equals, _ in pairs):
        return [whole_text for whole_text, _, _ in pairs]
    if bare_text := next((whole_text for whole_text, equals, _ in pairs if not equals), None):
        raise UserError(f"give {bare_text} a label too, as in LABEL={bare_text}")
    if empty := next((label for label, equals, path in pairs if equals and not path), None):
        raise UserError(f"{empty}= names no path: write {empty}=PATH")
    names = [label for label, _, _ in pairs]
    if twice_text := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"the label {twice_text!r} is given twice: name the ways apart")
    return {label: path for label, _, path in pairs}
