"""Whole lines in chunks."""

from itertools import pairwise
from pathlib import Path

import pytest

import chunkers
from chunkers.lines import Lines
from longdoc.errors import UserError

TEXT = "One two.\nThree four five.\n\n  Six.  \nSeven eight nine ten.\n"


def test_lines_are_packed_up_to_the_size_and_none_is_broken() -> None:
    assert [chunk.text for chunk in Lines(5).split(TEXT)] == [
        "One two.\nThree four five.",
        "Six.  \nSeven eight nine ten.",
    ]
    assert [chunk.text for chunk in Lines(4).split(TEXT)] == [
        "One two.",
        "Three four five.\n\n  Six.",
        "Seven eight nine ten.",
    ]


def test_blank_lines_are_inside_chunks_or_between_them() -> None:
    chunks = Lines(3).split("One two.\n\n\nThree four.\n\nFive.")
    assert [(chunk.text, chunk.start) for chunk in chunks] == [("One two.", 0), ("Three four.\n\nFive.", 11)]


def test_a_line_over_the_size_is_cut_into_sentences_then_words_and_not_packed_with_others() -> None:
    text = "Short.\nA first sentence here. And a second one. Third!\nTail."
    chunks = Lines(5).split(text)
    assert [(chunk.text, chunk.label) for chunk in chunks] == [
        ("Short.", None),
        ("A first sentence here.", "part 1 of 2"),
        ("And a second one. Third!", "part 2 of 2"),
        ("Tail.", None),
    ]
    assert [chunk.text for chunk in Lines(2).split("one two three four five")] == ["one two", "three four", "five"]


def test_only_the_parts_of_a_line_have_no_line_break_between_them() -> None:
    text = "a b\nc d e f g h i\nj\n\nk l m n"
    for size in (1, 2, 3, 5, 40):
        for first, second in pairwise(Lines(size).split(text)):
            begins_line = second.label in (None, f"part 1 of {str(second.label).split()[-1]}")
            is_same_line = first.label is not None and not begins_line
            assert ("\n" in text[first.end : second.start]) == (not is_same_line)


def test_without_a_size_it_takes_512() -> None:
    lines = "one two three four\n" * 200
    assert [len(chunk.text.split()) for chunk in Lines().split(lines)] == [512, 288]
    assert Lines().size is None


def test_sizes_below_one_and_unknown_languages_are_refused() -> None:
    with pytest.raises(UserError, match="size must be 1 or more, got 0"):
        Lines(0)
    with pytest.raises(UserError, match="unknown language of sentences 'xx'"):
        Lines(5, language="xx")


def test_a_whole_film_comes_back_line_by_line(realdata: Path) -> None:
    text = (realdata / "translation_en_de" / "films" / "almanya" / "en.txt").read_text(encoding="utf-8")
    chunks = chunkers.get("lines:size=60").split(text)
    lines = [line.strip() for chunk in chunks for line in chunk.text.split("\n")]
    assert lines == [line.strip() for line in text.splitlines()]
    assert max(len(chunk.text.split()) for chunk in chunks) <= 60
