"""The last steps of a run: what plugins do with it when it is finished."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.extensions import plugins
from longdoc.plugin import loaded
from pipelines.results.result import Result
from pipelines.tasks import Task

Finish = Callable[[Path], Mapping[str, Any] | None]  # from a run's folder to the new content of `scores.json`, if any


def last_steps(task: Task | None, values: Mapping[str, Any], is_shard: bool = False) -> list[Finish]:
    """What plugins do with a finished run of a task, by their arguments in `values`.

    Each step takes the run's folder and gives the new content of `scores.json`, None where it leaves the scores alone.

    Raises `UserError` for wrong arguments, so that nothing is asked of a model before they are right.
    """
    hooks = [loaded(plugin.after_run) for plugin in plugins().values() if plugin.after_run]
    return [step for hook in hooks if (step := hook(task, values, is_shard)) is not None]


def with_last_steps(result: Result, steps: Sequence[Finish]) -> Result:
    """The result of a run after these steps, with the scores that it has then."""
    for step in steps:
        result = result.scored_again(step(result.folder))
    return result
