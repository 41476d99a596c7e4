"""The hook that judges a run when it is finished."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.plugins.judging.judge_run import judge_for, judge_run
from pipelines.tasks import Task


def after_run(
    task: Task | None, values: Mapping[str, Any], is_shard: bool
) -> Callable[[Path], Mapping[str, Any]] | None:
    """The function that judges a finished run; None without a judge.

    Raises `UserError` for a prompt without a judge, and for the judge of a shard, whose verdicts a merge cannot use.
    """
    spec, prompts_from = values.get("judge"), values.get("judge_prompts_from")
    if spec is not None and is_shard:
        note = "leave judge= out, merge the shards, then: longdoc score RUN --judge MODEL"
        raise UserError(f"a judge judges the whole run, not a shard: {note}")
    judge = judge_for(task, spec, prompts_from)
    return None if judge is None else partial(judge_run, judge=judge)
