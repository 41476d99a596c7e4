"""The metrics that compare what was shown with the gold evidence: full_evidence, evidence_precision, evidence_iou."""

import json
from pathlib import Path

import pytest

import pipelines
from pipelines import metrics
from pipelines.metrics.shared.gold_spans import common, joined, merged
from pipelines.records import Document, Example, Span

NAMES = metrics.EVIDENCE_NAMES
TEXT = "abcdefghij klmnopqrst uvwxyz"  # words of 10, 10 and 6 letters


def scores(shown: str, *evidence: Span, text: str = TEXT) -> list[float]:
    """Recall, full evidence, precision and IoU of one example."""
    example = Example("1", Document("d", text), evidence=evidence)
    by_name = {}
    for name in NAMES:
        metric = metrics.get(name)
        by_name |= metric.aggregate([metric.statistics(shown, example)])
    assert tuple(by_name) == NAMES
    return [by_name[name] for name in NAMES]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("[[0, 10]]", [100, 100, 100, 100]),
        ("[[0, 20]]", [100, 100, 50, 50]),
        ("[[0, 5]]", [50, 0, 100, 50]),
        ("[[5, 15]]", [50, 0, 50, 100 / 3]),
        ("[[11, 21]]", [0, 0, 0, 0]),
        ("[]", [0, 0, 0, 0]),
    ],
)
def test_one_span_has_its_recall_full_evidence_precision_and_iou(shown: str, expected: list[float]) -> None:
    assert scores(shown, (0, 10)) == pytest.approx(expected)


def test_every_character_counts_once_however_many_spans_hold_it() -> None:
    assert scores("[[0, 8], [2, 10], [0, 10]]", (0, 6), (4, 10), (0, 10), (3, 3)) == [100, 100, 100, 100]


def test_white_space_at_the_ends_of_spans_or_alone_between_them_makes_no_difference() -> None:
    assert scores("[[0, 10], [11, 21]]", (0, 22)) == [100, 100, 100, 100]
    assert scores("[[0, 22]]", (0, 10), (11, 21)) == [100, 100, 100, 100]
    assert scores("[[0, 11], [21, 22]]", (10, 22)) == [0, 0, 0, 0]
    assert joined(" a b \n c", [(0, 2), (2, 5), (5, 6), (6, 8), (7, 8)]) == [(1, 8)]
    assert joined("", [(3, 5), (7, 9)]) == [(3, 5), (7, 9)]


def test_one_missing_letter_is_not_all_of_the_evidence() -> None:
    assert scores("[[0, 10], [11, 20]]", (0, 10), (11, 21)) == pytest.approx([2000 / 21, 0, 100, 2000 / 21])


def test_evidence_of_white_space_alone_does_not_count() -> None:
    metric = metrics.get("full_evidence")
    rows = [metric.statistics("[[0, 28]]", Example("1", Document("d", TEXT), evidence=((10, 11), (5, 5))))]
    assert rows == [{"full_evidence": 0.0, "has_evidence": 0.0}]
    assert metric.aggregate(rows) == {}


def test_the_common_part_of_two_lists_of_spans_is_a_list_of_spans() -> None:
    one, other = [(0, 5), (8, 20)], [(3, 9), (10, 12), (19, 30)]
    assert common(one, other) == common(other, one) == [(3, 5), (8, 9), (10, 12), (19, 20)]
    assert common(one, []) == []
    assert merged(one + other) == [(0, 30)]


def run(folder: Path, examples: list[Example], **more: object) -> dict[str, object]:
    options = {"chunker": "sentences:size=6", "retriever": "bm25", "k": 1, "model": "extractive", "report": False}
    pipelines.run("qa", data=examples, out=folder, **options, **more)  # type: ignore[arg-type]
    return dict(json.loads((folder / "scores.json").read_text()))


GULLS = "The gull sat on the wall. Nothing happened at sea. The ship left at dawn."
SHIP = (GULLS.index("The ship"), len(GULLS))


def gulls(id: str, references: tuple[str, ...] = (), evidence: tuple[Span, ...] = ()) -> Example:
    return Example(id, Document("d", GULLS), "When did the ship leave?", references, evidence=evidence)


def test_a_run_over_evidence_has_all_four_scores_by_default(tmp_path: Path) -> None:
    record = run(tmp_path / "run", [gulls("1", ("at dawn",), (SHIP,))])
    assert {name: record["scores"][name] for name in NAMES} == dict.fromkeys(NAMES, 100)  # type: ignore[index]
    assert not set(NAMES) & set(record["not_computed"])  # type: ignore[call-overload]


def test_a_run_without_evidence_does_not_list_them_unless_one_was_asked_for(tmp_path: Path) -> None:
    record = run(tmp_path / "run", [gulls("1", ("at dawn",))])
    assert not set(NAMES) & {*record["scores"], *record["not_computed"]}  # type: ignore[misc, call-overload]
    rescored = pipelines.rescore(tmp_path / "run", report=False)
    assert not set(NAMES) & {*rescored["scores"], *rescored["not_computed"]}
    with_metric = run(tmp_path / "asked", [gulls("1", ("at dawn",))], metrics=["f1", "full_evidence"])
    assert with_metric["not_computed"] == {"full_evidence": "no example has gold evidence"}


def test_examples_with_evidence_but_no_references_count(tmp_path: Path) -> None:
    start = GULLS.index("Nothing")
    examples = [gulls("1", ("at dawn",), (SHIP,)), gulls("2", (), ((start, start + 7),)), gulls("3")]
    record = run(tmp_path / "run", examples, metrics=["f1", "evidence_recall"])
    assert (record["scores"]["evidence_recall"], record["scored"]) == (50, 1)  # type: ignore[index]
    assert pipelines.rescore(tmp_path / "run", report=False)["scores"]["evidence_recall"] == 50
    run(tmp_path / "other", examples, metrics=["f1", "evidence_recall"], seed=1)
    comparison = pipelines.compare(tmp_path / "run", tmp_path / "other")
    assert comparison.a.scores == record["scores"]
    assert comparison.examples == 3


def test_evidence_alone_is_measured_where_no_example_has_references(tmp_path: Path) -> None:
    record = run(tmp_path / "run", [gulls("1", (), (SHIP,))], metrics=["f1", "exact_match", *NAMES])
    assert record["scores"] == dict.fromkeys(NAMES, 100)
    assert set(record["not_computed"].values()) == {"not scored: no references"}  # type: ignore[attr-defined]
