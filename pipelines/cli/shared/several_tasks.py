"""How `run` runs several tasks: a benchmark, or names with commas between."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from longdoc.errors import UserError
from longdoc.visible import note
from pipelines.cli.shared.options import data_by_task, show, show_table


def run_several(
    task: str | Sequence[str],
    arguments: Mapping[str, Any],
    data: str | Mapping[str, str] | Sequence[str],
    counting: Mapping[str, Any] | None,
    as_json: bool,
    signatures: bool,
) -> None:
    """Run several tasks, or count what they would ask, `counting` as `dry_run_tasks` takes it.

    Exit code 1 where not all is done.
    """
    from pipelines import api, tasks
    from pipelines.engine import interruption_note

    given_value = data_by_task([task.name for task in tasks.task_list(task)], data)
    if counting is not None:
        task_dry_runs = api.dry_run_tasks(task, data=given_value, **counting, **counted_arguments(arguments))
        show_table(task_dry_runs, as_json)
        if task_dry_runs.not_run:
            raise typer.Exit(1)
        return
    results = api.run_tasks(task, data=given_value, **arguments)
    if as_json:
        show(results, True)
    else:
        _print(results, signatures)
    if not results.complete:
        stopped = any(message.startswith(interruption_note.STOPPED) for message in results.failed.values())
        names = [*sys.argv[1:], *(["--go-on"] if stopped else [])]
        note(f"not all is done; go on with: {shlex.join(['longdoc', *names])}")
        raise typer.Exit(1)


def counted_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a run that a dry run takes. Raises `UserError` for a judge, whose requests it does not count."""
    if arguments.get("judge") is not None:
        raise UserError("--dry-run counts the reader's requests, not the judge's (one for each example): leave one out")
    excluded_arguments = ("go_on", "report")
    return {name: value for name, value in arguments.items() if name not in excluded_arguments}


def _print(results: Any, signatures: bool) -> None:
    from pipelines.display.table_display import show as show_table

    shown_tables = results.tables()
    below = [*(results.signatures() if signatures else ()), *results.lines_below()]
    for number, table in enumerate(shown_tables, 1):
        show_table(table, None, *(below if number == len(shown_tables) else ()))
