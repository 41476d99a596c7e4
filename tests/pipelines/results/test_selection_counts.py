"""How many passages were selected, and how many of them the model read."""

from typing import Any

from pipelines.records import Prediction
from pipelines.results.selection_counts import count, describe, words_shown


def prediction(
    selected: list[tuple[int, int]], shown: list[tuple[int, int]], words: int | None = None, requests: int = 1
) -> Prediction:
    spans = tuple((start, end, 1.0) for start, end in selected)
    numbers: dict[str, Any] = {"requests": requests, "tokens_in": 1, "tokens_out": 1, "truncated_tokens": 0}
    numbers["shown_words"] = words
    return Prediction("q", "d", "", (), "", spans, tuple(shown), **numbers)


TEN = [(100 * i, 100 * i + 100) for i in range(10)]


def test_a_passage_of_which_a_part_was_read_counts() -> None:
    cut = prediction(TEN, [(300, 400), (700, 720)])
    assert count([cut]) == {"selected": 10.0, "read": 2.0}


def test_means_are_over_examples() -> None:
    counts = count([prediction(TEN, TEN[:2]), prediction(TEN[:5], TEN[:5])])
    assert counts == {"selected": 7.5, "read": 3.5}
    assert describe(counts) == "7.5 selected, 3.5 read by the model, on average"


def test_overlapping_passages_are_told_apart() -> None:
    assert count([prediction([(0, 200), (100, 300), (200, 400)], [(0, 200)])]) == {"selected": 3.0, "read": 1.0}


def test_a_part_of_a_passage_that_was_read_alone_counts() -> None:
    assert count([prediction([(0, 200)], [(12, 200)])]) == {"selected": 1.0, "read": 1.0}


def test_an_example_of_which_nothing_was_read_counts_as_such() -> None:
    assert count([prediction(TEN, TEN), prediction(TEN, [])]) == {"selected": 10.0, "read": 5.0}


def test_where_requests_have_no_spans_nothing_is_counted() -> None:
    assert count([prediction(TEN, [])]) == {}
    assert count([]) == {}
    assert describe({}) == ""


def test_one_passage_that_was_read_needs_no_line() -> None:
    assert describe(count([prediction([(0, 500)], [(0, 300)])])) == ""


def test_words_are_the_mean_over_the_examples_that_have_them() -> None:
    counts = count([prediction(TEN, TEN[:2], 1200), prediction(TEN, TEN[:2], 1601)])
    assert counts == {"selected": 10.0, "read": 2.0, "words": 1400.5}
    assert describe(counts) == "10.0 selected, 2.0 read by the model, 1,400 words, on average"
    assert words_shown([prediction(TEN, TEN)]) is None


def test_where_no_model_was_asked_passages_are_shown_not_read() -> None:
    counts = count([prediction(TEN, TEN[:7], 198, requests=0)])
    assert counts == {"selected": 10.0, "shown": 7.0, "words": 198.0}
    assert describe(counts) == "10.0 selected, 7.0 shown, 198 words, on average"


def test_of_several_runs_the_ranges_are_described() -> None:
    one = {"selected": 10.0, "read": 7.0, "words": 198.0}
    assert describe(one, {"selected": 2.0, "shown": 2.0, "words": 383.0}, {}) == (
        "2.0 to 10.0 selected, 7.0 read by the model, 2.0 shown, 198 to 383 words, on average"
    )
