import pytest

import retrievers
from chunkers import Chunk
from longdoc.errors import UserError
from retrievers.lists import lead_ins

TEXTS = ["Rivers are wide.", "Not secret is:", "(a) what is public;", "(b) what was known.", "Mills are old."]


def order(spec, chunks, question, texts=TEXTS):
    return retrievers.get(spec).index(chunks(*texts)).search([question])[1][0].tolist()


def test_a_lead_in_ranks_with_its_best_item_and_before_it(chunks):
    assert order("bm25", chunks, "known?")[:2] == [3, 0]
    assert order("lists:retriever=bm25", chunks, "known?")[:2] == [1, 3]


def test_a_lead_in_that_is_better_than_its_items_stays_where_it_is(chunks):
    assert order("lists:retriever=bm25", chunks, "secret?")[0] == 1


def test_the_other_items_are_moved_towards_the_best(chunks):
    scores = {weight: retrievers.get(f"lists:weight={weight}").index(chunks(*TEXTS)).scores(["known?"])[0]
              for weight in (0, 0.5, 1)}  # fmt: skip
    best = scores[0][3]
    assert scores[0].tolist() == pytest.approx([0, best, 0, best, 0])
    assert scores[0.5].tolist() == pytest.approx([0, best, best / 2, best, 0])
    assert scores[1].tolist() == pytest.approx([0, best, best, best, 0])


def test_the_lead_in_of_an_inner_list_brings_its_own_lead_in(chunks):
    texts = ["Not secret is:", "(a) what", "(i) is public,", "(ii) was known."]
    scores = retrievers.get("lists").index(chunks(*texts)).scores(["known?"])[0]
    assert scores.tolist() == pytest.approx([scores[3], scores[3], 0, scores[3]])
    assert scores[3] > 0


def test_without_lists_the_order_is_that_of_the_retriever(chunks):
    texts = ["Rivers are wide.", "A mill is old.", "The mill of the river."]
    assert order("lists:weight=1", chunks, "mill", texts) == order("bm25", chunks, "mill", texts)


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_a_weight_must_be_from_0_to_1(weight):
    with pytest.raises(UserError, match="weight must be a number from 0 to 1"):
        retrievers.get(f"lists:weight={weight}")


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


def test_marks_that_are_letters_and_roman_numbers_continue_the_marks_before_them():
    assert leads("Not:", "(h) one", "(i) two", "(j) three") == [0, 0, 0, 0]
    assert leads("Not:", "(i) one", "(ii) two", "(v) five") == [0, 0, 0, 0]


def test_a_sentence_that_ends_with_a_full_stop_is_no_lead_in():
    assert leads("It ends here.", "1. The first section.", "2. The second.") == [0, 1, 2]
    assert leads("「終わり。」", "1. First") == [0, 1]


def test_a_second_sentence_of_an_item_belongs_to_it():
    parents = [(0, 4), (5, 40), (5, 40), (41, 60)]
    assert leads("Not:", "(a) What is known.", "It is free.", "It ends.", parents=parents) == [0, 0, 0, 3]


@pytest.mark.parametrize("text", ["- ", "(a)", "a 1. b", "", "(abc) word", "1.5 litres", "100. word", "I am."])
def test_a_single_chunk_has_no_lead_in(text):
    assert leads(text) == [0]


def test_words_that_look_like_marks_begin_no_items():
    assert leads("He said", "1.5 litres are", "a small word", "(see below)") == [0, 1, 2, 3]
