"""Retrievers, metrics and readers against other libraries on random cases: a few here, thousands by
`python -m tests.attacks.differential`."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.attacks.differential import networks, rankings, scorers
from tests.attacks.differential.comparisons import Comparison, Counted, counted

MODULES = {
    "scikit-learn": "sklearn", "faiss-cpu": "faiss", "rouge-score": "rouge_score", "transformers": "transformers",
    "bm25s": "bm25s", "sacrebleu": "sacrebleu", "nltk": "nltk", "scipy": "scipy",
}  # fmt: skip
QUICK = [
    comparison
    for comparison in networks.COMPARISONS
    if any(name in comparison.ours for name in ("llama", "tiny t5", "tiny bert"))
]
SLOW = [comparison for comparison in networks.COMPARISONS if comparison not in QUICK]


@pytest.fixture(autouse=True)
def other_library(request: pytest.FixtureRequest) -> None:
    """Skip a comparison whose library is not installed."""
    if "comparison" in request.fixturenames:
        pytest.importorskip(MODULES[request.getfixturevalue("comparison").package])


def for_comparisons(comparisons: Any) -> Any:
    return pytest.mark.parametrize("comparison", comparisons, ids=[comparison.name for comparison in comparisons])


@for_comparisons([*rankings.COMPARISONS, *scorers.COMPARISONS])
def test_rankings_and_scores_agree_with_the_other_library(comparison: Comparison) -> None:
    result = counted(comparison, 60)
    assert (result.different, result.cases > 50) == (0, True)


@for_comparisons(QUICK)
def test_greedy_outputs_and_probabilities_agree_with_transformers(comparison: Comparison) -> None:
    assert counted(comparison, 16)[:2] == (16, 0)


@pytest.mark.slow
@for_comparisons(SLOW)
def test_outputs_of_every_architecture_agree_with_transformers(comparison: Comparison) -> None:
    assert counted(comparison, 64)[:2] == (64, 0)


def test_differences_over_the_tolerance_are_counted() -> None:
    def cases(draw: Any, n: int) -> Iterator[float]:
        yield from [0.0, 0.5, 1.5, float("inf")][:n]

    assert counted(Comparison("ours", "theirs", "nltk", 1, cases), 4) == Counted(4, 2, 0.5)
