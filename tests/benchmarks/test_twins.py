"""What is answered and shown of questions and their twins, at a threshold that was fitted on other documents."""

import pytest

from benchmarks.twins import ANYWAY, RIGHTLY, Row, lines, shares


def rows(documents: int = 20, twin_score: float = 0.2) -> list[Row]:
    """Of each document a right answer of score 0.9, a wrong one of 0.8, and a twin."""
    return [
        Row(f"d{number}", is_twin, is_right, False, {"BM25": 0.5, "overlap": score})
        for number in range(documents)
        for is_twin, is_right, score in ((False, True, 0.9), (False, False, 0.8), (True, False, twin_score))
    ]


def test_a_score_that_tells_twins_apart_shows_right_answers_alone() -> None:
    scores = shares(rows(), "overlap", 0.1).scores
    assert (scores[ANYWAY], scores[RIGHTLY]) == (0.0, 100.0)


def test_a_score_that_does_not_shows_nothing() -> None:
    scores = shares(rows(), "BM25", 0.1).scores
    assert (scores[ANYWAY], scores[RIGHTLY]) == (0.0, 0.0)


@pytest.mark.parametrize(("documents", "start"), [(30, "0.0"), (10, "9 documents cannot give risk=0.05: 19 are")])
def test_a_line_says_where_documents_are_too_few(documents: int, start: str) -> None:
    everything, *others = lines("qa", rows(documents), ["overlap"])
    assert everything[4].startswith("100.0")
    (line,) = (line for line in others if line[1:3] == ["overlap", "0.05"])
    assert line[4].startswith(start)
