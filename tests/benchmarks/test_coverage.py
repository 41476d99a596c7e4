"""The simulated data whose intervals are counted, and what the benchmarks print of an interval."""

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.results import interval
from pipelines.statistics.intervals import Interval


@pytest.mark.parametrize("kind", coverage.KINDS)
def test_the_mean_of_the_data_is_the_one_that_the_intervals_should_hold(kind: str) -> None:
    draw, mean = coverage.KINDS[kind]
    scores = np.concatenate(draw(np.random.default_rng(3), 100_000))
    assert 0 <= scores.min() < 1
    assert 90 < scores.max() <= 100
    assert scores.mean() == pytest.approx(mean, abs=0.4)


def test_plain_percentile_intervals_are_narrower_than_those_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "DRAWS", 100)
    ours, plain = coverage.coverage(*coverage.KINDS["summaries"], documents=5)
    assert 75 < plain < ours <= 100
    of_two_documents, _ = coverage.coverage(*coverage.KINDS["summaries"], documents=2)
    assert of_two_documents < 65


def test_intervals_of_wholly_right_or_wrong_documents_hold_the_true_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Intervals over the questions, 30 a document, held the true score in 38% and 61% of the samples."""
    monkeypatch.setattr(coverage, "DRAWS", 100)
    kind = coverage.KINDS["documents wholly right or wrong, 30 questions"]
    for documents in (5, 10):
        assert coverage.coverage(*kind, documents)[0] >= 95


def test_unequal_documents_have_1_to_60_questions() -> None:
    counts = [len(values) for values in coverage.exams_unequal(np.random.default_rng(0), 2_000)]
    assert (min(counts), max(counts)) == (1, 60)


def test_the_least_coverage_is_named_with_its_kind_and_its_documents() -> None:
    shares = {5: [90.0] * len(coverage.KINDS), 10: [95.0] * len(coverage.KINDS)}
    shares[10][1] = 91.5
    assert coverage.least_of(shares, 10) == "91.5 (answers, 10 documents)"
    assert coverage.least_of(shares, 5).startswith("90.0 (")


@pytest.mark.parametrize(("units", "shown"), [(9, "[1.00, 2.00]*"), (10, "[1.00, 2.00]")])
def test_intervals_of_few_documents_are_marked(units: int, shown: str) -> None:
    assert interval(Interval(1.0, 2.0, 0.95, 2000, "document", units)) == shown
    assert interval(None) == "–"
