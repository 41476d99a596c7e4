"""The scores of Chroma's chunking evaluation, compared with its arithmetic written out here."""

import json
import random
from statistics import fmean, pstdev

import pytest

from pipelines import metrics
from pipelines.records import Document, Example, Span

TEXT = "x" * 100


def example(*evidence: Span) -> Example:
    return Example("1", Document("d", TEXT), evidence=evidence)


def scores(name: str, chunks: list[Span], *evidence: Span) -> dict[str, float]:
    metric = metrics.get(name)
    return metric.aggregate([metric.statistics(json.dumps(chunks), example(*evidence))])


def published_scores(chunks: list[Span], evidence: list[Span]) -> dict[str, float]:
    """The published code's sums, character by character."""
    gold = {at for start, end in evidence for at in range(start, end)}
    retrieved_gold = {at for start, end in chunks for at in range(start, end)} & gold
    lengths = sum(end - start for start, end in chunks)
    return {
        "chunking_recall": 100 * len(retrieved_gold) / sum(end - start for start, end in evidence),
        "chunking_precision": 100 * len(retrieved_gold) / lengths,
        "chunking_iou": 100 * len(retrieved_gold) / (lengths + len(gold - retrieved_gold)),
    }


def test_what_two_chunks_share_counts_twice_in_the_denominators_alone() -> None:
    result = scores("chunking_scores", [(0, 20), (10, 30)], (10, 20), (40, 50))
    assert (result["chunking_recall"], result["chunking_precision"], result["chunking_iou"]) == (50, 25, 20)
    assert [result[f"chunking_{name}_std"] for name in ("recall", "precision", "iou")] == [0, 0, 0]


def test_the_scores_are_the_published_recipe_s_with_mean_and_deviation() -> None:
    draw, metric = random.Random(5), metrics.get("chunking_scores")
    rows, expected = [], []
    for _ in range(30):
        edges = sorted(draw.sample(range(100), 4))
        evidence = [(edges[0], edges[1]), (edges[2], edges[3])]
        chunks = [(at, min(at + 25, 100)) for at in sorted(draw.sample(range(90), 4))]
        rows.append(metric.statistics(json.dumps(chunks), example(*evidence)))
        expected.append(published_scores(chunks, evidence))
    result = metric.aggregate(rows)
    for name in ("chunking_recall", "chunking_precision", "chunking_iou"):
        assert result[name] == pytest.approx(fmean(one[name] for one in expected))
        assert result[f"{name}_std"] == pytest.approx(pstdev([one[name] for one in expected]))


def test_evidence_that_overlaps_counts_twice_as_in_the_code() -> None:
    assert scores("chunking_scores", [(0, 20)], (0, 10), (5, 15))["chunking_recall"] == 75
    iou = scores("chunking_scores", [(0, 5)], (0, 10), (5, 15))["chunking_iou"]
    assert iou == pytest.approx(100 * 5 / (5 + 5 + 10))


def test_without_chunks_all_evidence_is_missed() -> None:
    result = scores("chunking_scores", [], (0, 10))
    assert (result["chunking_recall"], result["chunking_precision"], result["chunking_iou"]) == (0, 0, 0)


def test_a_chunk_that_touches_the_evidence_counts_by_the_code_and_not_by_sets() -> None:
    touching = [(0, 10), (10, 30)]
    assert scores("precision_omega:by=code", touching, (10, 20))["precision_omega"] == pytest.approx(100 * 10 / 30)
    assert scores("precision_omega:by=sets", touching, (10, 20))["precision_omega_sets"] == 50
    apart = scores("precision_omega:by=code", [(10, 30)], (10, 20), (40, 50))
    assert apart["precision_omega"] == pytest.approx(100 * 10 / 30)


def test_examples_without_evidence_are_left_out() -> None:
    for name in ("chunking_scores", "precision_omega"):
        metric = metrics.get(name)
        rows = [metric.statistics("[[0, 10]]", example()), metric.statistics("[[0, 10]]", example((0, 10)))]
        assert set(metric.aggregate(rows).values()) == {0, 100}
        assert metric.aggregate(rows[:1]) == {}


def test_both_readings_are_signed() -> None:
    signatures = [metrics.get(f"precision_omega:by={by}").signature for by in ("code", "sets")]
    assert signatures == [
        "precision_omega|as:code of chunking_evaluation|chunks:that share or touch|unit:characters"
        "|over:examples with evidence",
        "precision_omega_sets|as:report of chunking_evaluation|chunks:that share a character|unit:characters"
        "|over:examples with evidence",
    ]
    assert "shared by two chunks:counts twice" in metrics.get("chunking_scores").signature
