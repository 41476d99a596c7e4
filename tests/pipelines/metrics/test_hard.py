from typing import Any

import pytest

from longdoc.errors import UserError
from longdoc.registry import describe
from pipelines import metrics
from pipelines.records import Document, Example


def example(reference: str, **meta: Any) -> Example:
    return Example("1", Document("d", ""), references=(reference,), meta=meta)


def scores(spec: str, pairs: list[tuple[str, Example]]) -> dict[str, float]:
    metric = metrics.get(spec)
    return metric.aggregate([metric.statistics(prediction, one) for prediction, one in pairs])


PAIRS = [
    ("a gull", example("gull", difficult=1)),
    ("a ship", example("gull", difficult=True)),
    ("gull", example("gull", difficult=0)),
    ("gull", example("gull")),
]


def test_only_hard_examples_count() -> None:
    assert scores("exact_match_hard", PAIRS) == {"exact_match_hard": 50}
    assert scores("exact_match", PAIRS) == {"exact_match": 75}


def test_every_score_of_the_metric_is_there() -> None:
    pairs = [("B", example("B", difficult=1)), ("none", example("B", difficult=1)), ("none", example("B"))]
    assert scores("choice_accuracy_hard", pairs) == {"accuracy_hard": 50, "no_letter_hard": 50}


def test_where_nothing_is_hard_there_are_no_scores() -> None:
    assert scores("exact_match_hard", PAIRS[2:]) == {}
    assert metrics.get("exact_match_hard").score(["gull"], [["gull"]]) == {}


@pytest.mark.parametrize("inner", ["f1", "answer_recall", "style_changes"])
def test_any_metric_can_be_the_inner_one_and_its_target_stays(inner: str) -> None:
    metric, other = metrics.get(f"hard:{inner}"), metrics.get(inner)
    assert metric.target == other.target
    assert metric.signature.endswith(other.signature.partition("|")[2])


def test_the_metric_is_built_again_from_its_record() -> None:
    metric = metrics.get("choice_accuracy_hard")
    assert describe(metric) == {"name": "hard", "metric": {"name": "choice_accuracy"}}
    assert metrics.get(describe(metric)) == metric


def test_an_inner_metric_that_is_not_a_metric_is_refused() -> None:
    with pytest.raises(UserError, match="3 is not a metric"):
        metrics.get("hard", metric=3)
