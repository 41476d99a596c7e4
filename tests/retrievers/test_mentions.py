import pytest

import retrievers

TEXTS = ("nobody", "Anna", "Anna, Anna", "Anna, ANNA, Anna's", "Anna and Anna", "Anna", "nobody")


@pytest.fixture
def index(chunks):
    return retrievers.get("mentions").index(chunks(*TEXTS))


def test_the_first_the_densest_and_the_last_come_before_the_others_by_number(index):
    scores, ids = index.search(["Anna"])
    assert ids.tolist() == [[1, 3, 5, 2, 4, 0, 6]]
    assert scores.tolist() == [[6, 5, 4, 2, 2, 0, 0]]


@pytest.mark.parametrize(("k", "taken"), [(1, [1]), (2, [1, 3]), (3, [1, 3, 5])])
def test_k_takes_them_in_that_order(index, k, taken):
    assert index.search(["Anna"], k)[1].tolist() == [taken]


def test_a_chunk_that_counts_twice_leaves_its_place_to_the_next_densest(chunks):
    index = retrievers.get("mentions").index(chunks("Anna Anna Anna", "Anna", "nobody", "Anna Anna"))
    assert index.search(["Anna"], 3)[1].tolist() == [[0, 3, 1]]
    only = retrievers.get("mentions").index(chunks("nobody", "Anna"))
    assert only.search(["Anna"], 2)[1].tolist() == [[1, 0]]


def test_each_question_has_its_own_name(index):
    assert index.search(["Berta", "Anna"], 2)[1].tolist() == [[0, 1], [1, 3]]
    assert index.scores(["Berta"]).tolist() == [[0] * 7]
