"""The command `ablate`: an option with several values is an axis of the grid."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.messages import note
from pipelines.cli.shared import lists
from pipelines.cli.shared.options import data_by_task, option, show
from pipelines.cli.shared.run_options import takes_run_options
from pipelines.cli.shared.shared_options import Json


@takes_run_options(
    "ablate",
    axes=True,
    before={
        "grid": "data",
        "primary_metric": "report",
        "baseline": "report",
        "out": "engine",
    },
)
def ablate(
    arguments: Mapping[str, Any],
    task: Annotated[list[str] | None, typer.Argument(help="A task, several with commas, or those of --grid.")] = None,
    grid: Annotated[
        Path | None,
        option(
            "YAML or JSON with these options and variants.",
            "FILE",
            flags=("--grid", "--config"),
        ),
    ] = None,
    primary_metric: Annotated[str | None, option("The score that the table starts with.", "SCORE")] = None,
    baseline: Annotated[str | None, option('As in "k=1, retriever=bm25"; default: the first.', "CELL")] = None,
    out: Annotated[Path | None, option("Folder of the runs; the same command resumes.", "FOLDER")] = None,
    dry_run: Annotated[bool, option("Only list the runs, with requests, time, price.", flags=("--dry-run",))] = False,
    yes: Annotated[bool, option("Do not ask before starting a large grid.", flags=("--yes", "-y"))] = False,
    as_json: Json = False,
) -> None:
    """Run a task many ways at once and compare them with a baseline.

    Options marked * take several values, as in -k 1 2 5. Every combination of them is a run. With several tasks write
    --data TASK=PATH for each.

    Example: longdoc ablate narrativeqa --data sample --model extractive -k 1 2 5 --retriever tfidf bm25
    """
    from pipelines import api
    from pipelines.engine import interruption_note

    tasks = lists.pieces(task or [])
    if len(tasks) > 1 and (data := arguments.get("data")) is not None:
        arguments = {**arguments, "data": data_by_task(tasks, data if isinstance(data, list) else [data])}
    request: dict[str, Any] = {
        "task": tasks[0] if len(tasks) == 1 else tasks or None,
        "grid": grid,
        "primary_metric": primary_metric,
        "baseline": baseline,
        "out": out,
        **arguments,
    }
    if dry_run:
        plan_arguments = {name: value for name, value in request.items() if name not in ("go_on", "report")}
        show(api.plan_ablation(**plan_arguments, yes=yes), as_json)
        return
    ablation = api.ablate(**request, yes=yes or _confirmed(request))
    if as_json:
        show(ablation, True)
    else:
        from pipelines.display.table_display import show_view

        show_view(ablation)
    if any(cell.error is not None or cell.failures for cell in ablation.cells):
        stopped = any((cell.error or "").startswith(interruption_note.STOPPED) for cell in ablation.cells)
        command = interruption_note.command_to_resume("ablate", ablation.task, ablation.folder, stopped)
        note(f"some cells are unfinished; {command}")
        raise typer.Exit(1)


def _confirmed(request: Mapping[str, Any]) -> bool:
    """Whether the user confirmed a large grid; False for a small one, or where nobody is at the terminal to ask."""
    from pipelines.ablations.plan import MANY_CELLS
    from pipelines.ablations.request import grid_of
    from pipelines.engine.planning.options import UNPLANNED

    grid = grid_of(**{name: value for name, value in request.items() if name not in UNPLANNED})
    if grid.size <= MANY_CELLS or not sys.stdin.isatty():
        return False
    return typer.confirm(f"{grid}. Start?", abort=True, err=True)
