"""Headings among the shown spans, and spans that only a further search found."""

from typing import Any

from pipelines.records import Prediction, Span
from pipelines.results.headings import UnselectedSpans, unselected_spans


def prediction(selected: list[Span], shown: list[Span]) -> Prediction:
    spans = tuple((start, end, 1.0) for start, end in selected)
    numbers: dict[str, Any] = {"requests": 1, "tokens_in": 1, "tokens_out": 1, "truncated_tokens": 0}
    return Prediction("q", "d", "", (), "", spans, tuple(shown), **numbers)


def test_a_span_before_a_passage_is_its_heading() -> None:
    spans = unselected_spans(prediction([(50, 60), (200, 210)], [(0, 8), (50, 60), (100, 107), (200, 210)]))
    assert spans == UnselectedSpans({0: (0, 8), 1: (100, 107)}, [])


def test_the_heading_is_that_of_the_passage_that_follows_in_the_prompt() -> None:
    by_score = prediction([(200, 210), (50, 60)], [(100, 107), (200, 210), (0, 8), (50, 60)])
    assert unselected_spans(by_score) == UnselectedSpans({0: (100, 107), 1: (0, 8)}, [])


def test_a_passage_of_which_a_part_was_shown_keeps_its_heading() -> None:
    assert unselected_spans(prediction([(50, 90)], [(0, 8), (50, 71)])).headings == {0: (0, 8)}


def test_a_span_that_no_selected_one_follows_was_found_by_a_further_search() -> None:
    assert unselected_spans(prediction([(50, 60)], [(50, 60), (300, 340)])) == UnselectedSpans({}, [(300, 340)])
    assert unselected_spans(prediction([(50, 60)], [(300, 340), (50, 60)])) == UnselectedSpans({}, [(300, 340)])


def test_overlapping_and_nested_passages_hold_their_parts() -> None:
    nested = prediction([(0, 100), (20, 40), (90, 150)], [(0, 100), (25, 40), (95, 150)])
    assert unselected_spans(nested) == UnselectedSpans({}, [])


def test_without_shown_spans_there_are_no_unselected_spans() -> None:
    assert unselected_spans(prediction([(0, 10)], [])) == UnselectedSpans({}, [])
