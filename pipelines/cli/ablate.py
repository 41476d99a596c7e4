"""The command `ablate`: options may be given several times, which makes them axes."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.visible import note
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
    task: Annotated[
        list[str] | None, typer.Argument(help="Tasks of `longdoc list tasks`; may stand in the grid's file.")
    ] = None,
    grid: Annotated[
        Path | None,
        option(
            "A YAML or JSON file: arguments, lists among them, and `variants`; what is typed wins.",
            "FILE",
            flags=("--grid", "--config"),
        ),
    ] = None,
    primary_metric: Annotated[
        str | None, option("The score that table and plots lead with; default: the first.", "SCORE")
    ] = None,
    baseline: Annotated[
        str | None, option('A cell, as in "k=10, retriever=tfidf"; default: the first.', "CELL")
    ] = None,
    out: Annotated[Path | None, option("The ablation's folder; the same again computes what is new.", "FOLDER")] = None,
    dry_run: Annotated[bool, option("Only show what would be done.", flags=("--dry-run",))] = False,
    yes: Annotated[bool, option("Start a large grid without asking.", flags=("--yes", "-y"))] = False,
    as_json: Json = False,
) -> None:
    """Run a task many ways at once and compare them with a baseline.

    An option marked * is an axis if it has several values: with commas where --help says [,…], else given again. Every
    combination is a run. Of several tasks --data says whose data they are: --data qa=PATH.

    Example: longdoc ablate narrativeqa --data sample --model extractive -k 1,2,5 --retriever tfidf,bm25
    """
    from pipelines import api
    from pipelines.engine import interruption_note

    named_names = lists.pieces(task or [])
    if len(named_names) > 1 and (data := arguments.get("data")) is not None:
        arguments = {**arguments, "data": data_by_task(named_names, data if isinstance(data, list) else [data])}
    chosen_value = named_names[0] if len(named_names) == 1 else named_names or None
    own_values = {
        "task": chosen_value,
        "grid": grid,
        "primary_metric": primary_metric,
        "baseline": baseline,
        "out": out,
    }
    request: dict[str, Any] = {**own_values, **arguments}
    if dry_run:
        planned = {name: value for name, value in request.items() if name not in ("go_on", "report")}
        show(api.plan_ablation(**planned, yes=yes), as_json)
        return
    ablation = api.ablate(**request, yes=yes or _confirmed(request))
    if as_json:
        show(ablation, True)
    else:
        from pipelines.display.table_display import show_view

        show_view(ablation)
    if any(cell.error is not None or cell.failures for cell in ablation.cells):
        stopped = any((cell.error or "").startswith(interruption_note.STOPPED) for cell in ablation.cells)
        note(
            f"not all is done; {interruption_note.command_to_resume('ablate', ablation.task, ablation.folder, stopped)}"
        )
        raise typer.Exit(1)


def _confirmed(request: Mapping[str, Any]) -> bool:
    """Ask whether a large grid is meant, where somebody is there to say so."""
    from pipelines.ablations.plan import MANY_LIMIT
    from pipelines.ablations.request import grid_of
    from pipelines.engine.planning.options import UNPLANNED

    grid = grid_of(**{name: value for name, value in request.items() if name not in UNPLANNED})
    if grid.size <= MANY_LIMIT or not sys.stdin.isatty():
        return False
    return typer.confirm(f"{grid}. Start?", abort=True, err=True)
