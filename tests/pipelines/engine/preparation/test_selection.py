"""Passages that fill a budget."""

from collections.abc import Sequence
from typing import Any

from chunkers import Chunk, get
from pipelines.engine.preparation.selection import Passages, fill

TEXT = "One two three. Four five. Six seven eight nine. Ten eleven. So all is counted here now."
SENTENCES = get("units:of=sentence").split(TEXT)  # of 3, 2, 4, 2 and 6 words


def filled(order: Sequence[int], words: int, chunks: Any = SENTENCES, text: str = TEXT) -> Passages:
    return fill(text, [chunks[i] for i in order], words)


def texts(passages: Passages) -> list[str]:
    return [chunk.text for chunk in passages.chunks]


def test_the_best_are_taken_and_stand_in_document_order_with_the_ranks_they_had() -> None:
    passages = filled([3, 0], 9)
    assert (texts(passages), passages.ranks, passages.taken) == (["One two three.", "Ten eleven."], [1, 0], 2)


def test_the_first_words_of_what_does_not_fit_fill_the_rest() -> None:
    passages = filled([3, 0, 4], 9)
    assert (texts(passages), passages.ranks) == (["One two three.", "Ten eleven. So all is counted"], [1, 0])
    assert passages.taken == 3


def test_the_best_is_cut_at_a_word_where_it_alone_is_over_the_budget() -> None:
    passages = filled([4, 0], 4)
    assert (texts(passages), passages.ranks, passages.taken) == (["So all is counted"], [0], 1)


def test_neighbours_become_one_passage_of_the_better_rank() -> None:
    passages = filled([1, 4, 0, 3], 13)
    assert (texts(passages), passages.ranks) == (
        ["One two three. Four five.", "Ten eleven. So all is counted here now."], [0, 1],
    )  # fmt: skip
    assert [(chunk.start, chunk.end) for chunk in passages.chunks] == [(0, 25), (48, 87)]


def test_overlapping_text_is_taken_and_counted_once() -> None:
    chunks = get("tokens:size=4,stride=2").split(TEXT)
    passages = filled([0, 2, 1, 3], 10, chunks=chunks)
    assert (texts(passages), passages.taken) == (["One two three. Four five. Six seven eight nine. Ten"], 4)
    assert texts(filled([1, 0, 3], 7, chunks=chunks)) == ["One two three. Four five. Six seven"]


def test_text_that_is_selected_already_costs_nothing() -> None:
    chunks = [Chunk("One two three.", 0, 14), Chunk("two", 4, 7), Chunk("three. Four", 8, 19)]
    passages = filled([0, 1, 2], 4, chunks=chunks)
    assert (texts(passages), passages.ranks, passages.taken) == (["One two three. Four"], [0], 3)


def test_white_space_between_selected_passages_is_no_passage_and_brings_no_heading() -> None:
    text = "H\n\nOne two.\n\nThree four.\n\nFive six."
    chunks = [
        Chunk("One two.", 3, 11),
        Chunk("Three four.", 13, 24),
        Chunk(text[3:24], 3, 24, heading=(0, 1)),
        Chunk("Five six.", 26, 35),
    ]
    passages = filled([0, 1, 2, 3], 6, chunks=chunks, text=text)
    assert (texts(passages), passages.ranks) == ([text[3:]], [0])
    assert [chunk.heading for chunk in passages.chunks] == [None]


HEADED = "# Mills\n\nOne two three.\n\nFour five.\n\n# Cows\n\nSix seven eight nine.\n"
PARAGRAPHS = get("units").split(HEADED)  # of 3, 2 and 4 words under headings of 2


def shown(passages: Passages) -> list[tuple[str, str]]:
    return [(HEADED[slice(*(chunk.heading or (0, 0)))], chunk.text) for chunk in passages.chunks]


def test_a_heading_is_counted_with_the_first_chunk_below_it() -> None:
    assert shown(filled([0], 5, PARAGRAPHS, HEADED)) == [("# Mills", "One two three.")]
    assert shown(filled([0], 4, PARAGRAPHS, HEADED)) == [("# Mills", "One two")]
    assert shown(filled([0, 1], 7, PARAGRAPHS, HEADED)) == [("# Mills", "One two three.\n\nFour five.")]
    assert shown(filled([0, 2], 10, PARAGRAPHS, HEADED)) == [
        ("# Mills", "One two three."), ("# Cows", "Six seven eight"),
    ]  # fmt: skip
    assert shown(filled([0, 2], 11, PARAGRAPHS, HEADED)) == [
        ("# Mills", "One two three."), ("# Cows", "Six seven eight nine."),
    ]  # fmt: skip


def test_a_heading_that_leaves_no_room_for_a_word_is_left_out_of_what_is_cut() -> None:
    assert shown(filled([0, 2], 8, PARAGRAPHS, HEADED)) == [("# Mills", "One two three."), ("# Cows", "Six")]
    assert shown(filled([0, 2], 7, PARAGRAPHS, HEADED)) == [("# Mills", "One two three."), ("", "Six seven")]


def test_chunks_under_different_headings_stay_two_passages() -> None:
    assert texts(filled([1, 2], 99, PARAGRAPHS, HEADED)) == ["Four five.", "Six seven eight nine."]


def test_passages_of_an_earlier_search_are_left_out_and_their_headings_cost_nothing() -> None:
    before = filled([0], 5, PARAGRAPHS, HEADED).chunks
    passages = fill(HEADED, PARAGRAPHS, 2, before)
    assert (shown(passages), passages.ranks, passages.taken) == ([("# Mills", "Four five.")], [1], 2)


def test_letters_are_words_where_no_spaces_are_written() -> None:
    text = "我们今天去北京。天气很好。"
    chunks = get("units:of=sentence").split(text)
    assert texts(filled([1, 0], 7, chunks=chunks, text=text)) == ["我们今", "天气很好。"]


def test_a_budget_over_the_document_selects_all_of_it() -> None:
    assert texts(filled([2, 0, 1, 4, 3], 10**9)) == [TEXT]
    assert filled([], 9) == Passages([], [], 0) == fill("", [], 9)
