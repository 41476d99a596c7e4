"""The score of each task that counts for its benchmark's score, which is the mean over the tasks.

SCROLLS: Shaham et al. 2022, section 3; ZeroSCROLLS: Shaham et al. 2023, section 3.3. QuALITY counts with all its
questions, in SCROLLS too.
"""

from collections.abc import Mapping
from functools import cache

from pipelines import tasks


@cache
def task_scores() -> Mapping[str, Mapping[str, str]]:
    """The score that counts for each task, by benchmark and the task's name after the slash."""
    scores_by_benchmark = {
        name: {task.name.rpartition("/")[2]: task.score for task in tasks.group(name)} for name in tasks.groups()
    }
    return {name: scores for name, scores in scores_by_benchmark.items() if all(scores.values())}
