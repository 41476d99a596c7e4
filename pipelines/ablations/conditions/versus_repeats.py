"""Ways to read the documents, made several times with other seeds."""

import inspect
from collections.abc import Sequence
from functools import partial
from typing import Any

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError
from pipelines.ablations.conditions.repeated_conditions import RepeatedConditions
from pipelines.ablations.conditions.versus import versus
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.options import planned_arguments
from pipelines.evaluation._repeated_runs import with_seeds
from pipelines.evaluation._repeats_table import RepeatsTable
from pipelines.evaluation.repeats import repeats
from pipelines.results.conditions.condition_table import ConditionTable


def versus_repeats(task: TaskSpec, *, repeat: int, **arguments: Any) -> RepeatedConditions:
    """Make each way of `versus` `repeat` times, with the seeds `seed`, `seed` + 1 and so on, and say how scores vary.

    All other arguments are those of `versus`. `out` is a folder for the tables, `OUT/repeat-1` and so on; by default
    they lie where `versus` would put them. The same call again resumes. Raises `UserError` for fewer than two, for
    `sample`, and for `runs` and `predictions`, which are made already.
    """
    known_names = {*inspect.signature(versus).parameters, *planned_arguments(), "repeat"} - {"arguments"}
    for name in arguments:
        if name not in known_names:
            raise unknown_argument(name, known_names)
    for name in ("runs", "predictions"):
        if arguments.get(name):
            raise UserError(f"{name}= are made already, and repeat= makes runs: leave one of them out")
    results = with_seeds(partial(versus, task), repeat, arguments)
    variations: dict[str, RepeatsTable] = {}
    notes = []
    for condition in results[0].ways:
        if reason := _missing_result(results, condition.name):
            notes.append(f"{condition.name}: {reason}")
        else:
            variations[condition.name] = repeats([str(table[condition.name].folder) for table in results])
    return RepeatedConditions(tuple(results), variations, notes)


def _missing_result(results: Sequence[ConditionTable], name: str) -> str:
    """Why it cannot be said how the runs of a way vary; empty where it can."""
    primary = results[0].primary_metric
    for number, table in enumerate(results, 1):
        condition = next((condition for condition in table.ways if condition.name == name), None)
        if condition is None or primary not in condition.scores:
            error = "" if condition is None or condition.error is None else f" ({condition.error})"
            return f"no {primary} in repeat {number}{error}"
    return ""
