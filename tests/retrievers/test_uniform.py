import pytest

import retrievers
from retrievers.uniform import bisecting
from tests.turns import for_each


@pytest.mark.parametrize(
    ("k", "taken"),
    [(1, [5]), (2, [2, 7]), (3, [1, 5, 8]), (5, [1, 3, 5, 7, 9]), (10, list(range(10))), (99, list(range(10)))],
)
def test_k_chunks_are_the_middles_of_k_equal_stretches(chunks, k, taken):
    scores, ids = retrievers.get("uniform").index(chunks(*"abcdefghij")).search(["whatever"], k)
    assert sorted(ids[0].tolist()) == taken
    assert scores[0].tolist() == list(range(len(taken), 0, -1))


def test_the_best_of_k_is_their_middle(chunks):
    _, ids = retrievers.get("uniform").index(chunks(*"abcdefghij")).search([""], 3)
    assert ids.tolist() == [[5, 1, 8]]


def test_without_k_the_order_bisects_the_document(chunks):
    _, ids = retrievers.get("uniform").index(chunks(*"abcdefg")).search([""])
    assert ids.tolist() == [[3, 1, 5, 0, 2, 4, 6]]


@for_each("n", range(40))
def test_bisecting_is_a_permutation(n):
    assert sorted(bisecting(n).tolist()) == list(range(n))


@pytest.mark.parametrize("level", [1, 3, 7, 15, 31])
def test_whole_levels_of_the_order_lie_evenly(level):
    taken = sorted(bisecting(100)[:level].tolist())
    gaps = [after - before for before, after in zip([-1, *taken], [*taken, 100], strict=True)]
    assert max(gaps) - min(gaps) <= 2
