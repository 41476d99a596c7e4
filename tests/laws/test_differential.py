"""Retrievers, metrics and readers beside other libraries on random cases: a few here, thousands by
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
FEW = [one for one in networks.COMPARISONS if any(kind in one.ours for kind in ("llama", "tiny t5", "tiny bert"))]
MANY = [one for one in networks.COMPARISONS if one not in FEW]


@pytest.fixture(autouse=True)
def other_library(request: pytest.FixtureRequest) -> None:
    if "comparison" in request.fixturenames:
        pytest.importorskip(MODULES[request.getfixturevalue("comparison").package])


def names(comparisons: Any) -> Any:
    return pytest.mark.parametrize("comparison", comparisons, ids=[one.name for one in comparisons])


@names([*rankings.COMPARISONS, *scorers.COMPARISONS])
def test_rankings_and_scores_are_those_of_the_other_library(comparison: Comparison) -> None:
    found = counted(comparison, 60)
    assert (found.different, found.cases > 50) == (0, True)


@names(FEW)
def test_greedy_outputs_and_probabilities_are_those_of_transformers(comparison: Comparison) -> None:
    assert counted(comparison, 16)[:2] == (16, 0)


@pytest.mark.slow
@names(MANY)
def test_outputs_of_every_architecture_are_those_of_transformers(comparison: Comparison) -> None:
    assert counted(comparison, 64)[:2] == (64, 0)


def test_what_is_over_the_tolerance_is_counted() -> None:
    def cases(draw: Any, n: int) -> Iterator[float]:
        yield from [0.0, 0.5, 1.5, float("inf")][:n]

    assert counted(Comparison("ours", "theirs", "nltk", 1, cases), 4) == Counted(4, 2, 0.5)
