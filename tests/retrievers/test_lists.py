import pytest

import retrievers
from longdoc.errors import UserError

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
def test_a_weight_is_a_share(weight):
    with pytest.raises(UserError, match="weight must be a number from 0 to 1"):
        retrievers.get(f"lists:weight={weight}")
