"""The shares of predictions by the labels of their file."""

import pytest

from pipelines import metrics
from pipelines.metrics import NotComputable
from pipelines.metrics.labels import Labels
from pipelines.records import Document, Example


def example(id: str) -> Example:
    return Example(id, Document("", ""))


def test_predictions_without_a_label_are_left_out_unless_they_are_empty() -> None:
    metric = Labels().with_labels({"1": "correct", "2": "refused", "3": ""})
    outputs = (("a", "1"), ("", "2"), ("a", "3"), (" ", "4"))
    rows = [metric.statistics(text, example(id)) for text, id in outputs]
    assert metric.left_out("label_correct", rows) == ["", "", "without a label", ""]
    assert metric.aggregate(rows) == pytest.approx(dict.fromkeys(rows[0].keys() - {"labelled"}, 100 / 3))
    assert metric.aggregate(rows[2:3]) == metric.aggregate([]) == {}


def test_a_file_without_refusals_has_no_share_of_them() -> None:
    metric = Labels(has_refusals=False).with_labels({"1": "correct", "2": "incorrect"})
    rows = [metric.statistics("a", example(id)) for id in ("1", "2")]
    assert metric.aggregate(rows) == {"label_correct": 50.0, "label_incorrect": 50.0}


def test_without_labels_in_the_file_the_metric_cannot_be_computed() -> None:
    with pytest.raises(NotComputable, match="no prediction has a label"):
        metrics.get("labels").prepare()
    with pytest.raises(NotComputable):
        Labels().with_labels({"1": ""}).prepare()
