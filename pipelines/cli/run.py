"""Commands that run a task, print a prompt, and score: run, prompt, score."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import Task, data_by_task, option, recorded_command, show, show_result, show_table
from pipelines.cli.shared.run_options import takes_run_options
from pipelines.cli.shared.several_tasks import counted_arguments, run_several
from pipelines.cli.shared.shared_options import Json
from pipelines.engine.planning.options import UNPLANNED

DATA = option('"sample", or a local file or folder; of several tasks also TASK=PATH, given again.', "PATH", "Data")


@takes_run_options("run", keys={"task": str | Sequence[str], "data": str | Mapping[str, str]})
def run(
    task: Annotated[str, typer.Argument(help="A task of `longdoc list tasks`, several with commas, or a benchmark.")],
    arguments: Mapping[str, Any],
    data: Annotated[list[str] | None, DATA] = None,
    dry_run: Annotated[
        bool, option("Only count examples, requests, tokens and pairs, and their price.", flags=("--dry-run",))
    ] = False,
    pilot: Annotated[
        int | None, option("With --dry-run: a local reader answers N examples, to say how long all take.", "N")
    ] = None,
    repeat: Annotated[
        int | None, option("Make the run N times, with other seeds, and say how its scores vary.", "N")
    ] = None,
    signatures: Annotated[bool, option("Print what decides each score.", flags=("--signatures",))] = False,
    as_json: Json = False,
) -> None:
    """Run a task or a whole benchmark, and score it.

    Several tasks are names with commas, or a benchmark: muld, scrolls, zero_scrolls, longbench, infinitebench. Their
    --data is a folder with the files of all, or TASK=PATH for each.

    Example: longdoc run narrativeqa --data sample --retriever tfidf --model extractive

    Example: longdoc run muld --data FOLDER --model floor

    Example: longdoc run qa --data sample --model extractive --retriever random -k 1 --repeat 5
    """
    from pipelines import api, tasks

    if not isinstance(task, str) and len(task) == 1:  # a list in a file for --config
        (task,) = task
    if pilot is not None and not dry_run:
        raise UserError("--pilot is for --dry-run: give both, or leave --pilot out")
    if repeat is not None and (dry_run or tasks.is_several(task)):
        raise UserError("--repeat is for runs of one task: leave it out with several, and with --dry-run")
    counting = {"pilot": pilot} if dry_run else None
    with recorded_command():
        if tasks.is_several(task):
            run_several(task, arguments, data or [], counting, as_json, signatures)
            return
        if (given_value := data_by_task([task], data or [])) is not None:
            arguments = {"data": given_value, **arguments}
        if dry_run:
            show_table(api.dry_run(task, pilot=pilot, **counted_arguments(arguments)), as_json)
            return
        if repeat is not None:
            show_table(api.run_repeats(task, repeat=repeat, **arguments), as_json)
            return
        result = api.run(task, **arguments)
    show_result(result, as_json, signatures)
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

    Of several requests the first; where pairs of paragraphs are compared, the first pair.

    Example: longdoc prompt narrativeqa sample-01 --data sample --model extractive
    """
    from pipelines import api

    show(api.prompt(task, example, **_without_values(arguments, *UNPLANNED)), as_json, exact=True)


def _without_values(arguments: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The arguments without those that say where and how a run is made."""
    return {name: value for name, value in arguments.items() if name not in names}
