"""Which score of each task counts in a benchmark's, the mean over its tasks, and the runs of a benchmark by task.

SCROLLS: Shaham et al. 2022, section 3; ZeroSCROLLS: Shaham et al. 2023, section 3.3. QuALITY counts with all its
questions, in SCROLLS too.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

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
