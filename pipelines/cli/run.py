"""The commands `run` and `prompt`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import (
    Details,
    Task,
    data_by_task,
    option,
    recorded_command,
    show,
    show_result,
    show_table,
)
from pipelines.cli.shared.run_options import takes_run_options
from pipelines.cli.shared.several_tasks import counted_arguments, run_several
from pipelines.cli.shared.shared_options import Json
from pipelines.engine.planning.options import UNPLANNED

DATA = option('"sample", a file or folder; TASK=PATH for several.', "PATH", "Data")


@takes_run_options(
    "run", before={"data": "data_revision"}, keys={"task": str | Sequence[str], "data": str | Mapping[str, str]}
)
def run(
    task: Annotated[str, typer.Argument(help="A task, several with commas, or a benchmark.")],
    arguments: Mapping[str, Any],
    data: Annotated[list[str] | None, DATA] = None,
    dry_run: Annotated[bool, option("Only count requests and tokens, and their price.", flags=("--dry-run",))] = False,
    pilot: Annotated[int | None, option("With --dry-run: time N examples with a local reader.", "N")] = None,
    repeat: Annotated[int | None, option("Run N times with other seeds: how much scores vary.", "N")] = None,
    details: Details = False,
    as_json: Json = False,
) -> None:
    """Run a task or a whole benchmark, and score it.

    Example: longdoc run qa --data sample --model extractive

    Example: longdoc run qa --data MY_QUESTIONS.jsonl --model openai:NAME --retriever bm25 -k 5
    """
    from longdoc.extensions import function
    from pipelines import api, tasks

    if not isinstance(task, str) and len(task) == 1:  # a list in a file for --config
        (task,) = task
    if pilot is not None and not dry_run:
        raise UserError("--pilot is for --dry-run: give both, or leave --pilot out")
    if repeat is not None and (dry_run or tasks.is_several(task)):
        raise UserError("--repeat is for runs of one task: leave it out with several, and with --dry-run")
    dry_run_options = {"pilot": pilot} if dry_run else None
    with recorded_command():
        if tasks.is_several(task):
            run_several(task, arguments, data or [], dry_run_options, as_json, details)
            return
        if (paths := data_by_task([task], data or [])) is not None:
            arguments = {"data": paths, **arguments}
        if dry_run:
            show_table(api.dry_run(task, pilot=pilot, **counted_arguments(arguments)), as_json)
            return
        if repeat is not None:
            show_table(function("run_repeats")(task, repeat=repeat, **arguments), as_json)
            return
        result = api.run(task, **arguments)
    show_result(result, as_json, details)
    if result.failures or result.judging.get("failures"):
        raise typer.Exit(1)


@takes_run_options("prompt", keys={}, is_whole=True)
def prompt(
    task: Task,
    example: Annotated[str, typer.Argument(metavar="ID", help="The id of an example.")],
    arguments: Mapping[str, Any],
    as_json: Json = False,
) -> None:
    """Print the exact text that the reader gets for one example.

    Prints the first prompt where an example takes several.

    Example: longdoc prompt narrativeqa sample-01 --data sample --model extractive
    """
    from pipelines import api

    plan_arguments = {name: value for name, value in arguments.items() if name not in UNPLANNED}
    show(api.prompt(task, example, **plan_arguments), as_json, exact=True)
