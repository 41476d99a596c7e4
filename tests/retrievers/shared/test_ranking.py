import numpy as np
import pytest

from longdoc.errors import UserError
from retrievers.shared import ranking
from retrievers.shared.ranking import ExactIndex, FixedIndex, clamp, falling, steps, top_k


def test_the_best_come_first_as_float32_and_int64():
    scores, ids = top_k(np.array([[0.1, 0.9, 0.5]]), 2)
    assert ids.tolist() == [[1, 2]] and ids.dtype == np.int64
    assert scores.tolist() == [[np.float32(0.9), np.float32(0.5)]] and scores.dtype == np.float32


def test_scores_that_agree_to_a_millionth_stand_in_order_of_position():
    assert top_k(np.array([[0.5, 0.5 + 4e-7, 0.5 - 4e-7, 0.6]]), None)[1].tolist() == [[3, 0, 1, 2]]
    assert top_k(np.array([[0.5, 0.5 + 4e-6]]), None)[1].tolist() == [[1, 0]]


def sorted_whole(scores, k):
    """The k best by sorting all of them."""
    ids = np.argsort(-steps(scores), axis=1, kind="stable")[:, :k]
    return np.take_along_axis(scores, ids, axis=1).astype(np.float32), ids


@pytest.mark.parametrize("kind", ["all differ", "few values", "near ties", "all equal", "mostly 0", "infinite", "NaN"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_top_k_equals_sorting_all_scores(kind, dtype):
    rng = np.random.default_rng(0)
    for _ in range(60):
        rows, chunks = rng.integers(0, 6), rng.integers(1, 80)
        scores = rng.standard_normal((rows, chunks))
        if kind == "few values":
            scores = np.round(scores)
        elif kind == "near ties":
            scores = rng.integers(0, 4, (rows, chunks)) * 5e-7 + rng.integers(0, 3, (rows, chunks))
        elif kind == "all equal":
            scores[:] = 0.25
        elif kind == "mostly 0":
            scores *= rng.random((rows, chunks)) < 0.1
        elif kind in ("infinite", "NaN"):
            scores[rng.random((rows, chunks)) < 0.3] = np.inf if kind == "infinite" else np.nan
        scores = scores.astype(dtype)
        for k in (1, 2, int(rng.integers(1, chunks + 1)), chunks):
            actual, expected = top_k(scores, k), sorted_whole(scores, k)
            assert np.array_equal(actual[1], expected[1]) and actual[1].dtype == np.int64
            assert np.array_equal(actual[0], expected[0], equal_nan=True) and actual[0].dtype == np.float32


class CountingIndex(ExactIndex):
    """An index whose queries are numbers of rows of a table; `block_sizes` has the number of queries of each call."""

    def __init__(self, chunks):
        self.table, self.block_sizes = np.random.default_rng(1).random((500, chunks)).astype(np.float32), []

    def scores(self, queries):
        self.block_sizes.append(len(queries))
        return self.table[[int(query) for query in queries]]


def test_many_queries_are_ranked_in_blocks_with_the_same_result(monkeypatch):
    index, queries = CountingIndex(chunks=90), [str(number) for number in range(500)]
    whole = top_k(index.table, 7)
    monkeypatch.setattr(ranking, "CELLS", 90 * 100 + 1)
    scores, ids = index.search(queries, 7)
    assert index.block_sizes == [32, 100, 100, 100, 100, 68]
    assert np.array_equal(scores, whole[0]) and np.array_equal(ids, whole[1])


def test_thirty_queries_are_one_block():
    index = CountingIndex(chunks=90)
    index.search([str(number) for number in range(30)], 7)
    assert index.block_sizes == [30]


def test_k_is_clamped_and_must_be_positive():
    assert (clamp(None, 5), clamp(9, 5), clamp(2, 5), clamp(3, 0)) == (5, 5, 2, 0)
    with pytest.raises(UserError, match="k must be at least 1, got 0"):
        clamp(0, 5)


def test_falling_scores_rank_back_to_their_order_even_for_millions():
    order = np.random.default_rng(0).permutation(2_000_000)
    scores = falling(order)
    assert np.array_equal(np.argsort(-scores, kind="stable"), order)
    assert scores[order[0]] == 2_000_000 and scores[order[-1]] == 1


def test_a_fixed_index_gives_all_queries_the_same_scores():
    index = FixedIndex(np.array([1, 2], np.float32))
    assert index.scores(["a", "b"]).tolist() == [[1, 2], [1, 2]]
    assert index.scores([]).shape == (0, 2)
