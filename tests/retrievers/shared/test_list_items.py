import pytest

from chunkers import Chunk
from retrievers.shared.list_items import lead_ins


def leads(*texts, parents=None):
    chunks, start = [], 0
    for number, text in enumerate(texts):
        chunks.append(Chunk(text, start, start + len(text), parent=parents and parents[number]))
        start += len(text) + 1
    return lead_ins(chunks).tolist()


def test_items_have_the_chunk_before_the_first_of_them_as_lead_in():
    assert leads("It is secret.", "Not secret is:", "(a) what is known;", "(b) what was known.", "The end.") == [
        0, 1, 1, 1, 4,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "marks", [("(a)", "(b)"), ("1.", "2."), ("i)", "ii)"), ("A.", "B."), ("[1]", "[2]"), ("•", "•"), ("-", "-")]
)
def test_marks_of_many_kinds_begin_items(marks):
    assert leads("They are", *(f"{mark} word" for mark in marks)) == [0, 0, 0]


def test_a_list_inside_an_item_leads_to_that_item_and_the_outer_one_goes_on_after_it():
    assert leads("Not:", "(a) data", "(i) known,", "(ii) public,", "(b) names.") == [0, 0, 1, 1, 0]


def test_letters_that_are_roman_numbers_too_go_on_with_the_letters():
    assert leads("Not:", "(h) one", "(i) two", "(j) three") == [0, 0, 0, 0]
    assert leads("Not:", "(i) one", "(ii) two", "(v) five") == [0, 0, 0, 0]


def test_a_sentence_that_is_closed_leads_into_nothing():
    assert leads("It ends here.", "1. The first section.", "2. The second.") == [0, 1, 2]
    assert leads("「終わり。」", "1. First") == [0, 1]


def test_a_second_sentence_of_an_item_belongs_to_it():
    parents = [(0, 4), (5, 40), (5, 40), (41, 60)]
    assert leads("Not:", "(a) What is known.", "It is free.", "It ends.", parents=parents) == [0, 0, 0, 3]


@pytest.mark.parametrize("text", ["- ", "(a)", "a 1. b", "", "(abc) word", "1.5 litres", "100. word", "I am."])
def test_what_is_no_item_of_a_list_has_no_lead_in_or_one_chunk_before(text):
    assert leads(text) == [0]


def test_words_that_only_look_like_marks_are_none():
    assert leads("He said", "1.5 litres are", "a small word", "(see below)") == [0, 1, 2, 3]
