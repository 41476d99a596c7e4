"""What inspect_ai finds of this project once it is installed, and what programs import.

    from longdoc.pipelines.bridges.for_inspect import longdoc_scorer, longdoc_select, longdoc_task

Models are `longdoc/READER`, tasks `longdoc/TASK`.
"""

from collections.abc import Callable
from typing import Unpack

from inspect_ai import Task, task

from pipelines import tasks
from pipelines.bridges.inspect_model import longdoc as longdoc
from pipelines.bridges.inspect_names import registered
from pipelines.bridges.inspect_scorers import longdoc_corpus as longdoc_corpus
from pipelines.bridges.inspect_scorers import longdoc_corpus_scorer as longdoc_corpus_scorer
from pipelines.bridges.inspect_scorers import longdoc_scorer as longdoc_scorer
from pipelines.bridges.inspect_solver import longdoc_select as longdoc_select
from pipelines.bridges.inspect_task import TaskArguments, longdoc_answer, longdoc_prompt, longdoc_task

__all__ = [
    "longdoc", "longdoc_answer", "longdoc_corpus", "longdoc_corpus_scorer", "longdoc_prompt", "longdoc_scorer",
    "longdoc_select", "longdoc_task",
]  # fmt: skip


def _task(name: str) -> Callable[..., Task]:
    """The function that makes a task of inspect_ai from one of ours."""

    def made(**arguments: Unpack[TaskArguments]) -> Task:
        return longdoc_task(name, **arguments)

    return made


_NAMES = {part for name in tasks.names() for part in (name, name.rpartition("/")[2])}  # behind the slash is enough
for _name in sorted(_NAMES):
    task(name=registered(_name))(_task(_name))
