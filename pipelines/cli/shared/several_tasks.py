"""How `longdoc run` runs several tasks: a benchmark, or names with commas."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from longdoc.errors import UserError
from longdoc.messages import note
from pipelines.cli.shared.options import data_by_task, show, show_table


def run_several(
    task: str | Sequence[str],
    arguments: Mapping[str, Any],
    data: str | Mapping[str, str] | Sequence[str],
    dry_run_options: Mapping[str, Any] | None,
    as_json: bool,
    details: bool,
) -> None:
    """Run several tasks, or with `dry_run_options` only count their requests, and print the results.

    Exits with code 1 if a task is not done.
    """
    from pipelines import api, tasks
    from pipelines.engine import interruption_note

    data_of_tasks = data_by_task([task.name for task in tasks.task_list(task)], data)
    if dry_run_options is not None:
        dry_runs = api.dry_run_tasks(task, data=data_of_tasks, **dry_run_options, **counted_arguments(arguments))
        show_table(dry_runs, as_json)
        if dry_runs.not_run:
            raise typer.Exit(1)
        return
    results = api.run_tasks(task, data=data_of_tasks, **arguments)
    if as_json:
        show(results, True)
    else:
        _print(results, details)
    if not results.complete:
        stopped = any(message.startswith(interruption_note.STOPPED) for message in results.failed.values())
        words = [*sys.argv[1:], *(["--go-on"] if stopped else [])]
        note(f"some tasks are unfinished; to continue: {shlex.join(['longdoc', *words])}")
        raise typer.Exit(1)


def counted_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a dry run takes. Raises `UserError` for a judge, whose requests it cannot count."""
    if arguments.get("judge") is not None:
        raise UserError("--dry-run counts the reader's requests, not the judge's (one for each example): leave one out")
    return {name: value for name, value in arguments.items() if name not in ("go_on", "report")}


def _print(results: Any, details: bool) -> None:
    from pipelines.display.table_display import show as show_table

    tables = results.tables()
    below = [*(results.signatures() if details else ()), *results.lines_below()]
    for number, table in enumerate(tables, 1):
        show_table(table, None, *(below if number == len(tables) else ()))
