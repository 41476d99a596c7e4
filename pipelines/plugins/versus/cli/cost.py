"""The command `cost`: counts what questions about one's own documents would cost."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from pipelines.cli.shared import lists
from pipelines.cli.shared.options import option, show_table
from pipelines.cli.shared.run_options import takes_run_options, typer_option
from pipelines.cli.shared.shared_options import Json
from pipelines.display import terminal


@takes_run_options("cost", before={"model": "prompt", "budget": "prompt"})
def cost(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="Files and folders, one or more.")],
    arguments: Mapping[str, Any],
    model: Annotated[str, typer_option("model")],
    questions: Annotated[int, option("Questions about each document.", "N")] = 40,
    budget: Annotated[
        list[str] | None,
        option('How much retrieval selects, default: "300 words,1000 words,3000 words".', "BUDGET[,…]", "Passages"),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Read files again, and keep no copy of their texts.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Count what questions about documents of your own would cost.

    The whole document in each request, or retrieval of several widths: requests, tokens, and the price with caches cold
    and warm and in batch files. Nothing is sent. Ways that cost no less than one that shows as much are left out.

    Example: longdoc cost book.epub --questions 40 --model openai:MODEL,prices=prices.yaml
    """
    from pipelines.plugins.versus import cost as costs

    request = dict(arguments)
    if budget:
        request["budget"] = lists.pieces(budget)
    cost_table = costs.cost(files, model=model, questions=questions, cache=not no_cache, **request)
    for line in cost_table.unread:
        terminal.warn(line)
    show_table(cost_table, as_json)
    if cost_table.unread:
        raise typer.Exit(1)
