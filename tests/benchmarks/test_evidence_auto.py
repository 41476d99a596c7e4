"""How many words a fixed number needs for the recall of another selection."""

import pytest

from benchmarks.evidence_auto import words_for

CURVE = [(100.0, 20.0), (200.0, 60.0), (400.0, 60.0), (800.0, 80.0)]


@pytest.mark.parametrize(("recall", "words"), [(20, 100), (40, 150), (60, 200), (70, 600), (80, 800)])
def test_it_lies_on_the_line_between_the_numbers_measured(recall: float, words: float) -> None:
    assert words_for(recall, CURVE) == pytest.approx(words)


@pytest.mark.parametrize("recall", [19.9, 80.1])
def test_outside_what_was_measured_nothing_is_said(recall: float) -> None:
    assert words_for(recall, CURVE) is None
