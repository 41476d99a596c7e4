from itertools import combinations
from typing import Any

import pytest

from chunkers.shared.filling import _longest
from chunkers.shared.packing import _counts, pack, windows
from chunkers.shared.units import unit_of
from tests.turns import for_each

WORDS = unit_of("words")


def spans_of(text: str, *parts: str) -> list[tuple[int, int]]:
    return [(text.index(part), text.index(part) + len(part)) for part in parts]


def packed(text: str, parts: list[str], size: int, **options: object) -> list[str]:
    return [text[a:b] for a, b in pack(text, spans_of(text, *parts), size, WORDS, **options)]  # type: ignore[arg-type]


def test_neighbours_are_packed_as_long_as_they_fit() -> None:
    text = "a b. c. d e f.  g."
    assert packed(text, ["a b.", "c.", "d e f.", "g."], 3) == ["a b. c.", "d e f.", "g."]


def test_a_part_over_the_size_is_split_further_and_its_parts_are_packed_with_their_neighbours() -> None:
    text = "x. a b; c d e. y."
    halves = lambda part: spans_of(part, "a b;", "c d e.")  # noqa: E731
    assert packed(text, ["x.", "a b; c d e.", "y."], 4, splitters=[halves]) == ["x. a b;", "c d e. y."]


def test_a_part_that_cannot_be_split_is_cut_between_tokens() -> None:
    text = "x. a b c d e y."
    assert packed(text, ["x.", "a b c d e", "y."], 2) == ["x.", "a b", "c d", "e", "y."]


def test_the_count_of_the_whole_decides_not_the_sum(byte_pairs: Any) -> None:
    text = "ship ship ship"
    unit = unit_of(byte_pairs)
    alone, together = unit.count("ship"), unit.count(text)
    assert together < 3 * alone  # with its space the word is one token
    parts = [(0, 4), (5, 9), (10, 14)]
    assert pack(text, parts, together, unit) == [(0, 14)]
    assert pack(text, parts, together - 1, unit) == [(0, 9), (10, 14)]


@pytest.mark.parametrize("text", ["Ab “cd.” (e f)", "a\u00a0b\u200b c\u3000de fg h", "船 にa ab cd e", "x" * 30])
def test_the_counts_of_many_spans_are_those_of_each_even_inside_words(text: str) -> None:
    spans = [(a, b) for a, b in combinations(range(len(text) + 1), 2) if text[a:b].strip() == text[a:b]]
    assert len(spans) > 16
    for start in range(0, len(spans), 20):
        part = sorted(spans[start : start + 20])
        assert _counts(text, [*part, spans[-1]], WORDS) == [WORDS.count(text[a:b]) for a, b in [*part, spans[-1]]]


def test_words_of_many_spans_are_counted_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(WORDS), "counts", None)
    text = "One two. " * 50
    spans = [(9 * number, 9 * number + 8) for number in range(50)]
    assert pack(text, spans, 2, WORDS) == spans


def test_a_blank_text_has_no_chunks() -> None:
    assert pack("", [], 5, WORDS) == []
    assert windows("  ", 5, WORDS) == []


@for_each("limit", range(2, 12))
@for_each("guess", range(3, 11))
def test_the_longest_that_fits_is_found_from_any_guess(limit: int, guess: int) -> None:
    lengths: list[int] = []

    def fits(number: int) -> bool:
        lengths.append(number)
        return number <= limit

    assert _longest(fits, 2, 10, guess) == min(max(limit, 2), 10)
    assert set(lengths) <= set(range(3, 11))
    assert len(lengths) == len(set(lengths))
