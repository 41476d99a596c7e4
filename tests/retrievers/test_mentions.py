import pytest

import retrievers

TEXTS = ("nobody", "Anna", "Anna, Anna", "Anna, ANNA, Anna's", "Anna and Anna", "Anna", "nobody")


@pytest.fixture
def index(chunks):
    return retrievers.get("mentions").index(chunks(*TEXTS))


def test_first_densest_and_last_chunk_come_before_the_others_by_number_of_mentions(index):
    scores, ids = index.search(["Anna"])
    assert ids.tolist() == [[1, 3, 5, 2, 4, 0, 6]]
    assert scores.tolist() == [[6, 5, 4, 2, 2, 0, 0]]


@pytest.mark.parametrize(("k", "expected"), [(1, [1]), (2, [1, 3]), (3, [1, 3, 5])])
def test_k_selects_first_densest_and_last_in_this_order(index, k, expected):
    assert index.search(["Anna"], k)[1].tolist() == [expected]


def test_a_first_chunk_that_is_also_the_densest_leaves_room_for_the_next_densest(chunks):
    index = retrievers.get("mentions").index(chunks("Anna Anna Anna", "Anna", "nobody", "Anna Anna"))
    assert index.search(["Anna"], 3)[1].tolist() == [[0, 3, 1]]
    only = retrievers.get("mentions").index(chunks("nobody", "Anna"))
    assert only.search(["Anna"], 2)[1].tolist() == [[1, 0]]


def test_each_question_has_its_own_name(index):
    assert index.search(["Berta", "Anna"], 2)[1].tolist() == [[0, 1], [1, 3]]
    assert index.scores(["Berta"]).tolist() == [[0] * 7]
