import random

import pytest

from pipelines.metrics.shared import classes


def test_each_class_is_counted_and_none_is_no_prediction() -> None:
    row = classes.counts(["a", "b", None, "x"], ["a", "a", "b", "b"], "ab")
    assert row == {
        "hits-a": 1.0, "predicted-a": 1.0, "actual-a": 2.0, "hits-b": 0.0, "predicted-b": 1.0, "actual-b": 2.0
    }  # fmt: skip


def test_f1_is_twice_the_hits_over_predictions_and_labels() -> None:
    row = classes.counts(["a", "b", "b"], ["a", "a", "b"], "abc")
    assert [classes.f1(row, name) for name in "abc"] == [pytest.approx(200 / 3), pytest.approx(200 / 3), 0.0]
    assert classes.macro_f1(row, "abc") == pytest.approx(400 / 9)
    assert classes.macro_f1(row, classes.present(row, "abc")) == pytest.approx(200 / 3)


def test_summed_rows_give_the_scores_of_all_labels_together() -> None:
    from sklearn.metrics import f1_score

    draw = random.Random(5)
    documents: list[tuple[list[str], list[str]]] = []
    for _ in range(30):
        n = draw.randint(1, 9)
        documents.append((draw.choices("abcd", (8, 4, 2, 1), k=n), draw.choices("abcd", (8, 4, 2, 1), k=n)))
    total = classes.total([classes.counts(predicted, actual, "abcd") for predicted, actual in documents])
    flat = [[label for document in documents for label in document[side]] for side in (0, 1)]
    expected = 100 * f1_score(flat[1], flat[0], labels=list("abcd"), average="macro", zero_division=0)
    assert classes.macro_f1(total, "abcd") == pytest.approx(expected, abs=1e-9)


def test_no_rows_sum_to_nothing() -> None:
    assert classes.total([]) == {}
