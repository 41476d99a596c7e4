"""The command `evidence`: measures how much gold evidence chunkers and retrievers select."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pipelines.cli.shared import lists
from pipelines.cli.shared.options import data_by_task, option
from pipelines.cli.shared.run_options import takes_run_options
from pipelines.cli.shared.shared_options import Json

DATA = "Data"
PASSAGES = "Passages"


@takes_run_options("evidence")
def evidence(
    tasks: Annotated[list[str], typer.Argument(metavar="TASK…", help="Tasks of `longdoc list tasks`.")],
    *,
    data: Annotated[
        list[str] | None, option('"sample", a file or folder; of several tasks TASK=PATH, given again.', "PATH", DATA)
    ] = None,
    split: Annotated[str | None, option("Default: each task's scored split.", "SPLIT", DATA)] = None,
    limit: Annotated[int | None, option("The first N examples of each task.", "N", DATA)] = None,
    sample: Annotated[int | None, option("N examples drawn over the documents.", "N", DATA)] = None,
    chunker: Annotated[
        list[str] | None, option("Default: 100 words, sentences, paragraphs.", "CHUNKER[,…]", PASSAGES)
    ] = None,
    retriever: Annotated[
        list[str] | None, option("Default: tfidf, bm25, best, the oracle.", "RETRIEVER[,…]", PASSAGES)
    ] = None,
    budget: Annotated[
        list[str] | None,
        option('How much is selected; default: "100 words,300 words,1000 words".', "BUDGET[,…]", PASSAGES),
    ] = None,
    k: Annotated[
        list[str] | None, option("Instead: how many passages are selected.", "K[,…]", PASSAGES, flags=("--k", "-k"))
    ] = None,
    arguments: Mapping[str, Any],
    places: Annotated[bool, option("Also by place of the evidence in the document.", flags=("--places",))] = False,
    out: Annotated[
        Path | None, option("A folder for tables and plots; the same command again goes on.", "FOLDER")
    ] = None,
    engine: Annotated[
        str, option('Where documents are ranked: "local", "local:processes=4", "ray:workers=8".', "ENGINE")
    ] = "local",
    seed: Annotated[int, option("Seed of every random choice.", "N")] = 0,
    as_json: Json = False,
) -> None:
    """Measure how much gold evidence is selected, without a reader.

    For every chunker, retriever and budget: the share of evidence in the selection, the examples with all of it, and
    precision and IoU, over one task or several.

    Example: longdoc evidence qa --data questions.jsonl --retriever bm25,best --budget "100 words,300 words"
    """
    from pipelines.display import terminal
    from pipelines.display.table_display import show
    from pipelines.plugins.evidence.evidence import evidence as measure

    task_names = lists.pieces(tasks)
    result = measure(
        task_names,
        data=data_by_task(task_names, data or []),
        split=split,
        limit=limit,
        sample=sample,
        chunker=lists.components("chunkers", chunker or []) or None,
        retriever=lists.components("retrievers", retriever or []) or None,
        budget=lists.pieces(budget or []) or None,
        k=lists.whole_numbers("-k", k) if k else None,
        seed=seed,
        out=out,
        engine=engine,
        **arguments,
    )
    if as_json:
        print(terminal.to_json(result.to_dict()))
        return
    for number, table in enumerate(result.tables(places)):
        if number and terminal.is_plain():
            print()
        show(table)
