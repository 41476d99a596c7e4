"""What inspect_ai finds of this project once it is installed, and what programs import.

    from longdoc.pipelines.bridges.for_inspect import longdoc_scorer, longdoc_select, longdoc_task
from pipelines.engine.planning.run_arguments import PlanArguments

Models are `longdoc/READER`, tasks `longdoc/TASK`.
"""

from collections.abc import Callable
from typing import Unpack

import inspect_ai
from inspect_ai import Task

from pipelines import tasks
from pipelines.bridges.for_inspect.model import longdoc as longdoc
from pipelines.bridges.for_inspect.names import registered
from pipelines.bridges.for_inspect.scorers import longdoc_corpus as longdoc_corpus
from pipelines.bridges.for_inspect.scorers import longdoc_corpus_scorer as longdoc_corpus_scorer
from pipelines.bridges.for_inspect.scorers import longdoc_scorer as longdoc_scorer
from pipelines.bridges.for_inspect.solver import longdoc_select as longdoc_select
from pipelines.bridges.for_inspect.task import longdoc_answer, longdoc_prompt, longdoc_task
from pipelines.engine.planning.run_arguments import PlanArguments

__all__ = [
    "longdoc", "longdoc_answer", "longdoc_corpus", "longdoc_corpus_scorer", "longdoc_prompt", "longdoc_scorer",
    "longdoc_select", "longdoc_task",
]  # fmt: skip


def _task(name: str) -> Callable[..., Task]:
    """The function that makes a task of inspect_ai from one of ours."""

    def task_function(**arguments: Unpack[PlanArguments]) -> Task:
        return longdoc_task(name, **arguments)

    return task_function


_NAMES = {part for name in tasks.names() for part in (name, name.rpartition("/")[2])}  # behind the slash is enough
for _name in sorted(_NAMES):
    inspect_ai.task(name=registered(_name))(_task(_name))
