"""What READ and GREP show of a document."""

import pytest

from pipelines.strategies.shared.agent_tools import AROUND, MAX_HITS, MAX_SPAN, grep, read_argument, span_chunk


@pytest.mark.parametrize(
    ("argument", "target"),
    [
        ("3", [3]),
        ("passage [3]", [3]),
        ("3, 4 and 9", [3, 4, 9]),
        ("3-5", [3, 4, 5]),
        ("1200-1900", (1200, 1900)),
        ("1200 – 1900", (1200, 1900)),
        ("characters 1200 to 1900", (1200, 1900)),
        ("1900-1200", (1900, 1200)),
        ("1 2 3 4 5 6 7", [1, 2, 3, 4, 5]),
        ("the next one", None),
    ],
)
def test_an_argument_of_read_is_a_span_or_numbers(argument: str, target: object) -> None:
    assert read_argument(argument) == target


def test_a_span_is_what_of_it_lies_in_the_document() -> None:
    text = "The mill burned. " * 1000
    chunk = span_chunk(text, (4, 8))
    assert chunk is not None and (chunk.text, chunk.start, chunk.end) == ("mill", 4, 8)
    longest = span_chunk(text, (100, 10**12))
    assert longest is not None and (longest.start, longest.end) == (100, 100 + MAX_SPAN)
    assert [span_chunk(text, span) for span in ((17000, 17001), (9, 9), (9, 4), (16, 17))] == [None] * 4


def test_words_are_looked_for_literally_in_any_case_over_line_ends() -> None:
    text = "Ada (1815) wrote\nnotes. ada wrote  NOTES again."
    chunks, places = grep(text, "wrote notes")
    assert [(chunk.text, chunk.start) for chunk in chunks] == [(text, 0)]
    assert places == 2
    assert grep(text, "(1815)")[1] == 1
    assert grep(text, ".*")[1] == grep(text, "a|b")[1] == 0


def test_places_are_shown_as_slices_of_the_document_with_whole_words_around() -> None:
    text = "word " * 200 + "the MILL stands " + "word " * 200 + "a mill " + "end " * 100
    chunks, places = grep(text, "mill")
    assert places == len(chunks) == 2
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert "mill" in chunk.text.lower()
        assert len(chunk.text) <= 2 * AROUND + 4
        assert set(chunk.text.split()) <= {"word", "the", "MILL", "stands", "a", "mill", "end"}


def test_hits_are_bounded_and_nothing_explodes() -> None:
    text = "a" * 1_000_000
    assert grep(text, "a")[1] == 1000
    assert grep(text, "a" * 199 + "b") == ([], 0)
    assert grep(" " * 1_000_000, "a b") == ([], 0)
    assert grep("(a+)+" * 10, "(a+)+$") == ([], 0)
    spread = ("x" * 1000 + " mill ") * 20
    assert len(grep(spread, "mill")[0]) == MAX_HITS
