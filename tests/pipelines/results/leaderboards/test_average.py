import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.results.leaderboards.average import TASK_SCORES


def full(benchmark: str) -> dict[str, dict[str, float]]:
    return {
        task: {key: 10.0 * number, "other": 1.0} for number, (task, key) in enumerate(TASK_SCORES[benchmark].items())
    }


@pytest.mark.parametrize(("benchmark", "expected"), [("scrolls", 30), ("zero_scrolls", 45)])
def test_the_benchmark_score_is_the_mean_of_the_tasks_scores(benchmark: str, expected: float) -> None:
    assert pipelines.benchmark_score(benchmark, full(benchmark)) == expected


def test_tasks_may_be_named_in_full() -> None:
    scores = {f"scrolls/{task}": row for task, row in full("scrolls").items()}
    assert pipelines.benchmark_score("scrolls", scores) == 30


def test_quality_counts_with_all_its_questions() -> None:
    scores = full("scrolls")
    scores["quality"]["exact_match_hard"] = 1000.0
    assert pipelines.benchmark_score("scrolls", scores) == 30


def test_what_is_missing_is_listed() -> None:
    scores = full("scrolls")
    del scores["qmsum"], scores["qasper"]["f1"]
    with pytest.raises(UserError, match=r"2 of the 7 .* \(qmsum: geometric_mean; qasper: f1\)"):
        pipelines.benchmark_score("scrolls", scores)


def test_unknown_names_are_refused_with_a_suggestion() -> None:
    with pytest.raises(UserError, match="did you mean scrolls"):
        pipelines.benchmark_score("scroll", {})
    with pytest.raises(UserError, match="task of scrolls 'squality'; did you mean quality"):
        pipelines.benchmark_score("scrolls", full("scrolls") | {"squality": {}})


def test_a_task_given_twice_is_refused() -> None:
    with pytest.raises(UserError, match="qasper are given twice"):
        pipelines.benchmark_score("scrolls", full("scrolls") | {"scrolls/qasper": {"f1": 1.0}})


def test_every_task_has_the_key_of_a_metric() -> None:
    keys = {
        key
        for name, references in (
            ("rouge", "a b"),
            ("f1", "a b"),
            ("f1_ascii", "a b"),
            ("exact_match", "a b"),
            ("choice_accuracy", "A"),
            ("exponential_similarity", "7%"),
            ("concordance_index", "1"),
        )
        for key in pipelines.metrics.get(name).score([references], [[references]])
    }
    assert {key for keys_of in TASK_SCORES.values() for key in keys_of.values()} <= keys
