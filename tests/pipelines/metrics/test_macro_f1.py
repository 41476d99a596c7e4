import random

import pytest

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.records import Document, Example

PREDICTED = ["a", "a", "b", "b", "a", "?"]
ACTUAL = [
    ["a"],
    ["b"],
    ["b"],
    ["b"],
    ["a"],
    ["a"],
]  # a: 2 right, 3 predicted, 3 there; b: 2 right, 2 predicted, 3 there


def test_macro_f1_is_the_mean_of_the_f1_of_each_class():
    scores = metrics.get("macro_f1:[a,b]").score(PREDICTED, ACTUAL)
    assert scores == pytest.approx({"macro_f1": 100 * (4 / 6 + 4 / 5) / 2, "f1[a]": 400 / 6, "f1[b]": 80.0})


def test_without_labels_the_classes_are_those_of_the_references():
    assert metrics.get("macro_f1").score(PREDICTED, ACTUAL) == pytest.approx({"macro_f1": 100 * (4 / 6 + 4 / 5) / 2})


@pytest.mark.parametrize("spec", ["macro_f1", "macro_f1:[a,b,c]"])
def test_the_score_is_that_of_scikit_learn(spec):
    from sklearn.metrics import f1_score

    draw = random.Random(1)
    predicted, actual = draw.choices("abc", k=50), draw.choices("aab", k=50)
    labels = ["a", "b"] if spec == "macro_f1" else ["a", "b", "c"]
    expected = 100 * f1_score(actual, predicted, labels=labels, average="macro", zero_division=0)
    scores = metrics.get(spec).score(predicted, [[label] for label in actual])
    assert scores["macro_f1"] == pytest.approx(expected)


def test_a_label_that_is_neither_predicted_nor_there_is_left_out():
    assert metrics.get("macro_f1:[a,b]").score(["a"], [["a"]]) == {"macro_f1": 100.0, "f1[a]": 100.0}


def test_case_and_white_space_do_not_matter():
    assert metrics.get("macro_f1:[A b,c]").score([" a  B"], [["a b"]])["macro_f1"] == 100.0


def test_the_reference_that_is_predicted_counts():
    assert metrics.get("macro_f1:[a,b]").score(["b"], [["a", "b"]]) == {"macro_f1": 100.0, "f1[b]": 100.0}


def test_a_reference_of_no_class_is_refused_and_named():
    with pytest.raises(UserError, match="example 1: the reference 'x' is not one of the labels a, b"):
        metrics.get("macro_f1:[a,b]").score(["a", "a"], [["a"], ["x"]])


@pytest.mark.parametrize("spec", ["macro_f1:[a,A]", 'macro_f1:[a,""]'])
def test_labels_must_differ_and_not_be_empty(spec):
    with pytest.raises(UserError, match="must differ"):
        metrics.get(spec)


@pytest.mark.parametrize("labels", [(), ("hero", "villain", "other")])
def test_summed_counts_have_the_scores_of_the_rows(labels: tuple[str, ...]) -> None:
    metric = metrics.get("macro_f1", labels=labels)
    pairs = [("hero", "hero"), ("villain", "hero"), ("nonsense", "villain"), ("villain", "villain"), ("hero", "hero")]
    rows = [metric.statistics(output, Example("1", Document("d", ""), references=(gold,))) for output, gold in pairs]
    sums = metric.summable(rows)  # type: ignore[attr-defined]
    mean = {name: sum(row[name] for row in sums) / len(sums) for name in sums[0]}
    assert metric.aggregate([mean]) == pytest.approx(metric.aggregate(rows))
    assert metric.aggregate(sums[:2]) == pytest.approx(
        {"macro_f1": 200 / 3}
        | ({} if not labels else {"f1[hero]": 200 / 3, "f1[villain]": 0})
        | ({"macro_f1": 100 / 3} if labels else {})
    )
