"""The simulated data whose intervals are counted, and what the benchmarks print of an interval."""

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.results import interval
from pipelines.results.intervals import Interval


@pytest.mark.parametrize("kind", coverage.KINDS)
def test_the_mean_of_the_data_is_the_one_that_the_intervals_should_hold(kind: str) -> None:
    draw, mean = coverage.KINDS[kind]
    values = draw(np.random.default_rng(3), 200_000)
    assert 0 <= values.min() < 1
    assert 90 < values.max() <= 100
    assert values.mean() == pytest.approx(mean, abs=0.4)


def test_plain_percentile_intervals_are_narrower_than_those_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "DRAWS", 100)
    ours, plain = coverage.coverage(*coverage.KINDS["summaries"], documents=5)
    assert 75 < plain < ours <= 100
    two, _ = coverage.coverage(*coverage.KINDS["summaries"], documents=2)
    assert two < 65


@pytest.mark.parametrize(("units", "shown"), [(9, "[1.00, 2.00]*"), (10, "[1.00, 2.00]")])
def test_intervals_of_few_documents_are_marked(units: int, shown: str) -> None:
    assert interval(Interval(1.0, 2.0, 0.95, 2000, "document", units)) == shown
    assert interval(None) == "–"
