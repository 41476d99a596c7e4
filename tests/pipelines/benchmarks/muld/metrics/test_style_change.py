import pytest

import pipelines
from pipelines.metrics import get


def scores(prediction: str, reference: str) -> dict[str, float]:
    return get("style_change").score([prediction], [[reference]])


def test_the_score_is_the_mean_f1_of_four_authors_over_the_paragraphs_of_all_documents() -> None:
    result = get("style_change").score(["1,1,2", "1,2,3,4"], [["1,1,1"], ["1,2,3,3"]])
    f1 = (2 * 3 / (3 + 4), 2 * 1 / (2 + 1), 2 * 1 / (1 + 2), 0)
    assert result["macro_f1"] == pytest.approx(100 * sum(f1) / 4)


def test_an_author_in_neither_prediction_nor_reference_counts_0_as_in_pans_evaluator() -> None:
    assert scores("1,2", "1,2")["macro_f1"] == 50


def test_numbers_are_read_with_any_separator() -> None:
    for prediction in ("1,2,3,4", "1 2 3 4", "[1, 2, 3, 4]", "1\n2\n3\n4\n", "author 1; author 2; author 3; author 4"):
        assert scores(prediction, "1,2,3,4")["macro_f1"] == 100


def test_missing_paragraphs_are_wrong_and_counted() -> None:
    assert scores("1,2", "1,2,3,4") == {"macro_f1": 50.0, "missing_paragraphs": 50.0, "extra_paragraphs": 0.0}


def test_extra_paragraphs_are_dropped_and_counted() -> None:
    assert scores("1,2,3,4,4,4,4,4", "1,2,3,4") == {
        "macro_f1": 100.0, "missing_paragraphs": 0.0, "extra_paragraphs": 50.0
    }  # fmt: skip


def test_a_number_beyond_the_authors_is_wrong_and_counts_for_no_other() -> None:
    assert scores("9,2,3,4", "1,2,3,4")["macro_f1"] == 75


def test_documents_with_labels_of_changes_alone_are_left_out() -> None:
    result = get("style_change").score(["1,2,3,4", "1,1"], [["1,2,3,4"], ["changes=1 authors=2"]])
    assert result == {"macro_f1": 100.0, "missing_paragraphs": 0.0, "extra_paragraphs": 0.0}
    assert scores("1,1", "changes=1 authors=2") == {}


def test_the_task_is_scored_by_this_metric() -> None:
    assert pipelines.score("style_change", ["1,2,3,4"], [["1,2,3,4"]])["macro_f1"] == 100


def test_changes_are_scored_against_changes_or_against_authors() -> None:
    metric = get("style_changes")
    assert metric.score(["1,0,0"], [["1,2,2,1"]]) == metric.score(["1,0,0"], [["changes=1,0,1"]])
    assert metric.score(["1,0,0"], [["1,2,2,1"]])["changes_macro_f1"] == pytest.approx(100 * 2 / 3)
    assert metric.score(["1"], [["1,2,2"]])["changes_macro_f1"] == 50
    assert metric.score([""], [["1"]]) == {}


def test_several_authors_are_distinguished_from_one() -> None:
    metric = get("multi_author")
    assert metric.score(["1", "0", "0"], [["1,2"], ["1,1"], ["changes=0 authors=2"]]) == {
        "multi_author_macro_f1": pytest.approx(100 * 2 / 3)
    }
    assert metric.score(["1"], [["1,2"]]) == {"multi_author_macro_f1": 100.0}
