"""The score of a benchmark: the mean over its tasks, from scores or from the folders of finished runs, one per task.

SCROLLS: Shaham et al. 2022, section 3; ZeroSCROLLS: Shaham et al. 2023, section 3.3. QuALITY counts with all its
questions, in SCROLLS too.
"""

from collections.abc import Mapping, Sequence
from math import fsum
from pathlib import Path

from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from pipelines.results.run_folders.run import Run, finished_run


def runs_by_task(benchmark: str, runs: Sequence[str | Path]) -> dict[str, Run]:
    """The runs in the benchmark's order. Raises `UserError` for a run of another task, and for two runs of one task."""
    if benchmark not in TASK_SCORES:
        raise unknown("benchmark", benchmark, TASK_SCORES)
    found_runs: dict[str, Run] = {}
    for run in map(finished_run, [runs] if isinstance(runs, (str, Path)) else runs):
        task = run.task.removeprefix(f"{benchmark}/")
        if run.task != f"{benchmark}/{task}" or task not in TASK_SCORES[benchmark]:
            raise UserError(f"{run.folder} is a run of {run.task}, which is no task of {benchmark}: leave it out")
        if task in found_runs:
            raise UserError(f"{found_runs[task].folder} and {run.folder} are both runs of {run.task}: choose one")
        found_runs[task] = run
    if not found_runs:
        raise UserError(f"name the folders of finished runs of {benchmark}, one per task")
    return {task: found_runs[task] for task in TASK_SCORES[benchmark] if task in found_runs}


TASK_SCORES: Mapping[str, Mapping[str, str]] = {
    "scrolls": {
        "gov_report": "geometric_mean",
        "summ_screen_fd": "geometric_mean",
        "qmsum": "geometric_mean",
        "qasper": "f1",
        "narrative_qa": "f1",
        "quality": "exact_match",
        "contract_nli": "exact_match",
    },
    "zero_scrolls": {
        "gov_report": "geometric_mean",
        "summ_screen_fd": "geometric_mean",
        "qmsum": "geometric_mean",
        "squality": "geometric_mean",
        "qasper": "f1_ascii",
        "narrative_qa": "f1_ascii",
        "quality": "accuracy",
        "musique": "f1_ascii",
        "space_digest": "exponential_similarity",
        "book_sum_sort": "concordance_index",
    },
}


@checks_names
def benchmark_score(benchmark: str, scores: Mapping[str, Mapping[str, float]]) -> float:
    """The score of `scrolls` or `zero_scrolls`, 0–100, from each task's scores by name (`Result.scores`).

    A task is named with or without its benchmark: `scrolls/qasper`, `qasper`. Raises `UserError` for unknown tasks and,
    with a list, for what is missing: a mean over some of the tasks is not the benchmark's score.
    """
    if benchmark not in TASK_SCORES:
        raise unknown("benchmark", benchmark, TASK_SCORES)
    keys = TASK_SCORES[benchmark]
    given_values: dict[str, Mapping[str, float]] = {}
    for name, row in scores.items():
        task = name.removeprefix(f"{benchmark}/")
        if task not in keys:
            raise unknown(f"task of {benchmark}", name, keys)
        if task in given_values:
            raise UserError(f"{benchmark}: the scores of {task} are given twice")
        given_values[task] = row
    missing = [f"{task}: {key}" for task, key in keys.items() if key not in given_values.get(task, {})]
    if missing:
        raise UserError(
            f"{len(missing)} of the {len(keys)} scores of {benchmark} are missing ({'; '.join(missing)}): "
            "score these tasks too, their mean over fewer is not the benchmark's score"
        )
    return fsum(given_values[task][key] for task, key in keys.items()) / len(keys)
