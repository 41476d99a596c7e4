from pathlib import Path

import pytest

import pipelines
from pipelines import metrics
from pipelines.metrics.shared.gold_spans import merged
from pipelines.records import Document, Example, Span


def recall(selected: str, *evidence: Span) -> dict[str, float]:
    metric = metrics.get("evidence_recall")
    return metric.aggregate([metric.statistics(selected, Example("1", Document("d", ""), evidence=evidence))])


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        ("[[0, 100]]", 100),
        ("[[10, 20], [30, 40]]", 100),
        ("[[10, 20]]", 50),
        ("[[0, 15]]", 25),
        ("[[15, 35]]", 50),
        ("[[12, 16], [14, 18]]", 30),
        ("[[20, 30], [40, 50]]", 0),
        ("[]", 0),
    ],
)
def test_the_score_is_the_share_of_evidence_characters_in_selected_spans(selected: str, expected: float) -> None:
    assert recall(selected, (10, 20), (30, 40)) == {"evidence_recall": pytest.approx(expected)}


def test_evidence_that_overlaps_counts_once() -> None:
    assert recall("[[0, 10]]", (0, 20), (10, 20), (5, 12))["evidence_recall"] == 50


def test_examples_without_evidence_are_left_out() -> None:
    metric = metrics.get("evidence_recall")
    document = Document("d", "")
    rows = [
        metric.statistics("[[0, 5]]", Example("1", document, evidence=((0, 10),))),
        metric.statistics("[[0, 5]]", Example("2", document)),
        metric.statistics("[[0, 5]]", Example("3", document, evidence=((3, 3),))),
    ]
    assert metric.aggregate(rows) == {"evidence_recall": 50}
    assert metric.aggregate(rows[1:]) == {}


def test_spans_that_overlap_or_touch_are_merged() -> None:
    assert merged([(8, 9), (0, 3), (3, 5), (4, 6), (7, 7)]) == [(0, 6), (8, 9)]


def test_a_run_measures_the_spans_that_the_retriever_selected(tmp_path: Path) -> None:
    text = "The gull sat on the wall. " + "Nothing happened at sea. " * 20 + "The ship left at dawn."
    document = Document("d", text)
    start = text.index("The ship")
    whole = Example("1", document, "When did the ship leave?", ("at dawn",), evidence=((start, len(text)),))
    half = Example("2", document, "When did the ship leave?", ("at dawn",), evidence=((0, 4), (start, start + 4)))
    result = pipelines.run(
        "qa",
        data=[whole, half],
        chunker="sentences:size=6",
        retriever="bm25",
        k=1,
        model="extractive",
        metrics=["evidence_recall"],
        out=tmp_path / "run",
    )
    assert result.scores == {"evidence_recall": 75}
    assert pipelines.rescore(tmp_path / "run")["scores"] == {"evidence_recall": 75}
