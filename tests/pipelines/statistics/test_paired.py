"""Differences of two runs: against exact enumeration, and by how often equal runs seem to differ."""

from itertools import product

import numpy as np
import pytest

from pipelines import metrics
from pipelines.metrics import Row
from pipelines.records import Document, Example
from pipelines.statistics import paired as paired_module
from pipelines.statistics.intervals import Difference, Interval
from pipelines.statistics.paired import holm, paired

EXACT, BLEU = metrics.get("exact_match"), metrics.get("bleu-1")


def rows(values: object) -> list[Row]:
    return [{"exact_match": float(value)} for value in values]  # type: ignore[attr-defined]


def bleu_rows(*predictions: str) -> list[Row]:
    return [BLEU.statistics(text, Example("1", Document("d", ""), "", ("the grey gull sat",))) for text in predictions]


def test_the_difference_is_b_less_a_with_wins_losses_and_ties() -> None:
    result = paired(EXACT, rows([0, 0, 100, 50, 50]), rows([100, 10, 0, 50.04, 50]))["exact_match"]
    assert result.value == pytest.approx(2.008)
    assert (result.wins, result.losses, result.ties) == (2, 1, 2)
    assert result.interval.low < 2.008 < result.interval.high
    assert (result.interval.unit, result.interval.units, result.p_holm) == ("example", 5, None)
    assert result.no_interval == ""


def test_runs_that_never_differ_have_a_difference_of_exactly_zero() -> None:
    metric = metrics.get("rouge")
    score_rows = [{"rouge1": v / 3, "rouge2": v / 7, "rougeL": v / 9} for v in range(60)]
    for result in paired(
        metric, score_rows, [dict(row) for row in score_rows], [str(i // 4) for i in range(60)]
    ).values():
        assert (result.value, result.p) == (0, 1)
        assert (result.wins, result.losses, result.ties) == (0, 0, 60)


def test_runs_that_never_differ_may_differ_in_documents_that_were_missed() -> None:
    """Of 60 questions in 15 documents none differs: the bound is that of 0 of 15, not of 0 of 60."""
    equal_rows = rows([100.0] * 60)
    result = paired(EXACT, equal_rows, rows([100.0] * 60), [str(i // 4) for i in range(60)])["exact_match"].interval
    assert (result.low, result.high, result.units) == (
        pytest.approx(-21.802, abs=1e-3), pytest.approx(21.802, abs=1e-3), 15,
    )  # fmt: skip


def test_a_difference_that_is_equal_in_all_documents_is_bounded_by_their_number() -> None:
    result = paired(EXACT, rows([0.0] * 300), rows([100.0] * 300), [str(i // 30) for i in range(300)])["exact_match"]
    assert (result.value, result.interval.low, result.interval.high) == (100, pytest.approx(38.301, abs=1e-3), 100)


def test_rounding_by_bleu_s_guards_against_zero_is_no_difference() -> None:
    metric = metrics.get("bleu-4")
    score_rows = [
        [metric.statistics(text, Example("1", Document("d", ""), "", ("the grey gull sat on it",)))] * 10
        for text in ("the gull and the ship", "a gull and a ship and a wall")
    ]
    result = paired(metric, *score_rows)["bleu-4"]
    assert 0 < abs(metric.aggregate(score_rows[1])["bleu-4"] - metric.aggregate(score_rows[0])["bleu-4"]) < 1e-3
    assert (result.value, result.p, result.ties) == (0, 1, 10)
    assert result.interval.high == -result.interval.low == pytest.approx(30.850, abs=1e-3)  # of 0 of 10


def test_p_of_a_few_examples_is_that_of_all_exchanges() -> None:
    changes = np.array([30.0, -10, 20, 5, 40])
    signs = np.array(list(product((1, -1), repeat=5)))
    share = np.mean(np.abs(signs @ changes) >= changes.sum() - 1e-9)
    assert paired(EXACT, rows([40] * 5), rows(40 + changes))["exact_match"].p == share == 0.1875


def test_p_of_documents_exchanges_all_their_examples_together() -> None:
    a, b = bleu_rows("a gull", "the gull", "the ship", "grey"), bleu_rows("the grey gull", "gull", "the", "a wall sat")
    clusters = ["x", "x", "y", "z"]
    observed = BLEU.aggregate(b)["bleu-1"] - BLEU.aggregate(a)["bleu-1"]
    extreme = 0
    for x, y, z in product((False, True), repeat=3):
        swapped = [{"x": x, "y": y, "z": z}[name] for name in clusters]
        exchanged_a = [row_b if flag else row_a for row_a, row_b, flag in zip(a, b, swapped, strict=True)]
        exchanged_b = [row_a if flag else row_b for row_a, row_b, flag in zip(a, b, swapped, strict=True)]
        extreme += (
            abs(BLEU.aggregate(exchanged_b)["bleu-1"] - BLEU.aggregate(exchanged_a)["bleu-1"]) >= abs(observed) - 1e-6
        )
    result = paired(BLEU, a, b, clusters)["bleu-1"]
    assert (result.p, result.interval) == (extreme / 8, None)
    assert result.no_interval == "3 documents: no interval; at least 5 are needed"
    assert result.value == pytest.approx(observed)


def test_p_of_random_exchanges_is_near_that_of_all_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    for shift in (0, 10, 20, 30):
        a, b = rows(random.uniform(0, 60, 12)), rows(random.uniform(0, 60, 12) + shift)
        exact_p = paired(EXACT, a, b)["exact_match"].p
        monkeypatch.setattr(paired_module, "EXACT", 1)
        sampled_p = paired(EXACT, a, b, resamples=20000)["exact_match"].p
        monkeypatch.undo()
        assert sampled_p == pytest.approx(exact_p, abs=0.015)


def test_p_is_never_0() -> None:
    result = paired(EXACT, rows([0] * 40), rows([100] * 40), resamples=500)["exact_match"]
    assert result.p == pytest.approx(1 / 501)
    assert result.interval.low > 80, "as wide as if one in twelve had been missed"


@pytest.mark.parametrize("clusters", [None, ["d"] * 3])
def test_a_single_document_is_compared_by_examples(clusters: list[str] | None) -> None:
    result = paired(EXACT, rows([0, 50, 0]), rows([100, 80, 0]), clusters)["exact_match"]
    assert (result.no_interval, result.p) == ("3 examples: no interval; at least 5 are needed", 0.5)


def test_a_single_example_has_no_significant_difference() -> None:
    result = paired(EXACT, rows([0]), rows([60]))["exact_match"]
    assert (result.value, result.p) == (60, 1)
    assert (result.interval, result.no_interval) == (None, "1 example: no interval; at least 5 are needed")
    assert paired(EXACT, [], []) == {}


def test_different_numbers_of_rows_are_an_error() -> None:
    with pytest.raises(ValueError, match="2 rows against 1"):
        paired(EXACT, rows([1, 2]), rows([1]))


def test_metrics_of_whole_rows_are_exchanged_too(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = (
        bleu_rows("a gull", "the gull", "the ship", "grey", "sat"),
        bleu_rows("the grey gull", "gull", "the", "a", "grey"),
    )
    fast = paired(BLEU, a, b, resamples=200)["bleu-1"]
    monkeypatch.setattr(type(BLEU), "bootstrap_on", "rows")
    slow = paired(BLEU, a, b, resamples=200)["bleu-1"]
    assert fast.p == slow.p
    assert (fast.interval.low, fast.interval.high) == pytest.approx((slow.interval.low, slow.interval.high), abs=1e-4)


@pytest.mark.parametrize(("documents", "minimum"), [(8, 0), (30, 0.02)])  # ties of 8 documents make p larger
def test_of_equal_runs_at_most_one_in_twenty_differs_significantly(documents: int, minimum: float) -> None:
    random = np.random.default_rng(7)
    significant, contains_zero = [], []
    for seed in range(300):
        base = random.beta(1, 3, documents)[:, None]
        kinds = [np.clip(base + random.normal(0, 0.15, (documents, 1)), 0, 1) for _ in "ab"]
        a, b = (rows(100.0 * (random.random((documents, 6)) < kind).ravel()) for kind in kinds)
        result = paired(EXACT, a, b, [str(i // 6) for i in range(6 * documents)], resamples=400, seed=seed)
        significant.append(result["exact_match"].p <= 0.05)
        contains_zero.append(result["exact_match"].interval.low <= 0 <= result["exact_match"].interval.high)
    assert minimum <= np.mean(significant) <= 0.075
    assert 0.9 <= np.mean(contains_zero) <= 0.98


def difference(p: float) -> Difference:
    return Difference(1.0, Interval(0, 2, 0.95, 2000, "document", 9), p)


def test_holm_multiplies_the_least_p_most_and_keeps_the_order() -> None:
    result = holm([difference(p) for p in (0.04, 0.01, 0.03, 0.5)])
    assert [corrected.p_holm for corrected in result] == pytest.approx([0.09, 0.04, 0.09, 0.5])
    assert [corrected.p for corrected in result] == [0.04, 0.01, 0.03, 0.5]
    assert holm([]) == []
    assert [corrected.p_holm for corrected in holm([difference(0.6), difference(0.7)])] == [1, 1]


def test_the_paired_bootstrap_decides_as_the_exact_permutation_does_on_small_cases() -> None:
    random = np.random.default_rng(7)
    metric, names = metrics.get("f1"), [f"d{i // 3}" for i in range(36)]  # 12 documents: all 2,048 exchanges are tried
    decided = {True: 0, False: 0}
    for case in range(60):
        shift = (case % 6) * 4.0
        book = np.repeat(random.normal(0, 5, 12), 3)  # what the questions of a document have in common
        before = random.uniform(20, 60, 36)
        after = np.clip(before + shift + book + random.normal(0, 8, 36), 0, 100)
        rows_a, rows_b = ([{"f1": float(value)} for value in values] for values in (before, after))
        result = paired(metric, rows_a, rows_b, names)["f1"]
        excludes_zero = result.interval.low > 0 or result.interval.high < 0
        if not 0.02 < result.p < 0.12:  # near 0.05 two sound ways may differ
            assert excludes_zero == (result.p < 0.05)
            decided[excludes_zero] += 1
    assert min(decided.values()) >= 10
