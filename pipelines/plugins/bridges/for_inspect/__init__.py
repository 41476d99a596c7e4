"""The entry point for inspect_ai: the model, tasks, solvers and scorers that it finds, and that programs import.

    from longdoc.pipelines.plugins.bridges.for_inspect import longdoc_scorer, longdoc_select, longdoc_task

Models are `longdoc/READER`, tasks `longdoc/TASK`.
"""

from collections.abc import Callable
from typing import Unpack

import inspect_ai
from inspect_ai import Task

from pipelines import tasks
from pipelines.engine.planning.run_options import PlanOptions
from pipelines.plugins.bridges.for_inspect.model import longdoc as longdoc
from pipelines.plugins.bridges.for_inspect.names import registered
from pipelines.plugins.bridges.for_inspect.scorers import longdoc_corpus as longdoc_corpus
from pipelines.plugins.bridges.for_inspect.scorers import longdoc_corpus_scorer as longdoc_corpus_scorer
from pipelines.plugins.bridges.for_inspect.scorers import longdoc_scorer as longdoc_scorer
from pipelines.plugins.bridges.for_inspect.solver import longdoc_select as longdoc_select
from pipelines.plugins.bridges.for_inspect.task import longdoc_answer, longdoc_prompt, longdoc_task

__all__ = [
    "longdoc", "longdoc_answer", "longdoc_corpus", "longdoc_corpus_scorer", "longdoc_prompt", "longdoc_scorer",
    "longdoc_select", "longdoc_task",
]  # fmt: skip


def _task(name: str) -> Callable[..., Task]:
    """The function that makes a task of inspect_ai from one of ours."""

    def task_function(**arguments: Unpack[PlanOptions]) -> Task:
        return longdoc_task(name, **arguments)

    return task_function


_NAMES = {part for name in tasks.names() for part in (name, name.rpartition("/")[2])}  # also without the benchmark
for _name in sorted(_NAMES):
    inspect_ai.task(name=registered(_name))(_task(_name))
