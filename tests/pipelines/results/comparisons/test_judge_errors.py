"""A difference of verdicts, corrected for the judge's errors."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longdoc.errors import UserError
from pipelines.metrics.judged import Judged, row
from pipelines.results.comparisons.judge_errors import JudgeErrors, judge_errors
from pipelines.statistics.sample import Sample, units


def sample(calls: Any) -> Sample:
    return Sample(Judged("j", "p"), [row(bool(call)) for call in calls], units(len(calls), None))


def figures(note: str) -> list[float]:
    """The corrected difference with its bounds, and the observed one with its."""
    return [float(number) for number in re.findall(r"[-+]?\d+\.\d\d", note.partition("):")[2])][:6]


def test_a_difference_is_divided_by_what_the_judge_makes_of_a_true_one() -> None:
    errors = JudgeErrors("f", positives=10**8, false_negatives=2 * 10**7, negatives=10**8, false_positives=3 * 10**7)
    assert errors.discernment == pytest.approx(0.5)
    note = errors.note(sample([0, 0, 0, 1] * 25), sample([0, 0, 1, 1] * 25), 0.95, 500, 0)
    corrected, low, high, observed, plain_low, plain_high = figures(note)
    assert (corrected, observed) == (50, 25)
    assert low == pytest.approx(2 * plain_low, abs=0.05) and high == pytest.approx(2 * plain_high, abs=0.05)


def test_few_labelled_predictions_make_the_interval_wider() -> None:
    a, b = sample([0, 0, 0, 1] * 25), sample([0, 0, 1, 1] * 25)
    widths = []
    for count in (20, 2000):
        _, low, high, *_ = figures(JudgeErrors("f", count, count // 10, count, count // 10).note(a, b, 0.95, 2000, 0))
        widths.append(high - low)
    assert widths[0] > widths[1]


def test_the_corrected_interval_has_the_true_difference_as_often_as_it_says() -> None:
    chance = np.random.default_rng(0)
    hits = 0
    for trial in range(100):
        truths = chance.random((2, 150)) < [[0.5], [0.65]]
        calls = np.where(truths, chance.random((2, 150)) < 0.85, chance.random((2, 150)) < 0.1)
        labelled = chance.binomial([200, 200], [0.15, 0.1])
        note = JudgeErrors("f", 200, int(labelled[0]), 200, int(labelled[1])).note(
            sample(calls[0]), sample(calls[1]), 0.95, 200, trial
        )
        _, low, high, *_ = figures(note)
        hits += low <= 15 <= high
    assert hits >= 90  # 95 of 100, less what such a simulation may miss


def test_a_judge_by_chance_is_refused() -> None:
    with pytest.raises(UserError, match="hardly better than chance"):
        JudgeErrors("f", 100, 50, 100, 48).note(sample([0, 1]), sample([1, 1]), 0.95, 100, 0)


@dataclass
class Case:
    content: str
    message: str


CASES = [
    Case("{", "it is no JSON"),
    Case("[]", "it has no row of the rater 'judge'"),
    Case('{"with_labels": 3}', "it has no row of the rater 'judge'"),
    Case('{"with_labels": [{"rater": "judge", "positives": 0}]}', "it lacks right and wrong predictions"),
    Case(
        '{"with_labels": [{"rater": "judge", "positives": 3, "false_negatives": 4, "negatives": 1, '
        '"false_positives": 0}]}',
        "it lacks right and wrong predictions",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.content[:30])
def test_other_files_are_refused_with_the_command_that_makes_one(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(case.content)
    with pytest.raises(UserError, match=case.message) as caught:
        judge_errors(path)
    assert "longdoc analyze label-agreement TASK" in str(caught.value)


def test_the_row_of_a_rater_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    counts = {"positives": 30, "false_negatives": 3, "negatives": 20, "false_positives": 1}
    path.write_text(json.dumps({"with_labels": [{"rater": "f1"}, {"rater": "judge", **counts}]}))
    assert judge_errors(path) == JudgeErrors(str(path), 30, 3, 20, 1)
    with pytest.raises(UserError, match="cannot be read"):
        judge_errors(tmp_path / "none.json")
