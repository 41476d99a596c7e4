"""The one figure of a benchmark: the mean over its tasks of each task's own figure.

SCROLLS: Shaham et al. 2022, section 3; ZeroSCROLLS: Shaham et al. 2023, section 3.3. QuALITY counts with all its
questions, in SCROLLS too.
"""

from collections.abc import Mapping
from math import fsum

from longdoc.errors import UserError, unknown

FIGURES: Mapping[str, Mapping[str, str]] = {
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


def benchmark_score(benchmark: str, scores: Mapping[str, Mapping[str, float]]) -> float:
    """The score of `scrolls` or `zero_scrolls`, 0–100, from each task's scores by name (`Result.scores`).

    A task is named with or without its benchmark: `scrolls/qasper`, `qasper`. Raises `UserError` for names that the
    benchmark does not have and, with a list, for what is missing: a mean over some of the tasks is no score of it.
    """
    if benchmark not in FIGURES:
        raise unknown("benchmark", benchmark, FIGURES)
    figures = FIGURES[benchmark]
    given: dict[str, Mapping[str, float]] = {}
    for name, row in scores.items():
        task = name.removeprefix(f"{benchmark}/")
        if task not in figures:
            raise unknown(f"task of {benchmark}", name, figures)
        if task in given:
            raise UserError(f"{benchmark}: the scores of {task} are given twice")
        given[task] = row
    missing = [f"{task}: {key}" for task, key in figures.items() if key not in given.get(task, {})]
    if missing:
        raise UserError(
            f"{len(missing)} of the {len(figures)} figures of {benchmark} are missing ({'; '.join(missing)}): "
            "score these tasks too, their mean over fewer is not the benchmark's score"
        )
    return fsum(given[task][key] for task, key in figures.items()) / len(figures)
