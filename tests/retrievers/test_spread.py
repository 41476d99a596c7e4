import math

import numpy as np
import pytest

import retrievers
from chunkers import Chunk
from longdoc.errors import UserError
from longdoc.registry import describe
from retrievers.shared.ranking import FixedIndex
from retrievers.spread import _SpreadIndex, places


def test_a_score_counts_less_with_distance():
    index = _SpreadIndex(FixedIndex(np.array([3, 0, 0], np.float32)), np.array([0.0, 1.0, 3.0]))
    one, two, three = math.exp(-1), math.exp(-2), math.exp(-3)
    expected = [2 - one - three, 2 * one - 1 - two, 2 * three - two - 1]  # of the scores less their mean: 2, -1, -1
    assert index.scores(["x"])[0] == pytest.approx(expected)


def test_the_sum_is_over_all_chunks_on_both_sides():
    rng = np.random.default_rng(0)
    at, row = np.cumsum(rng.random(200)), rng.random(200)
    kernel = np.exp(-np.abs(at[:, None] - at[None, :]))
    scores = _SpreadIndex(FixedIndex(row.astype(np.float32)), at).scores(["x", "y"])
    assert np.allclose(scores, kernel @ (row - row.mean()), atol=1e-5)


def test_chunks_may_come_in_any_order_and_overlap():
    index = _SpreadIndex(FixedIndex(np.array([0, 3, 0], np.float32)), np.array([3.0, 0.0, 1.0]))
    straight = _SpreadIndex(FixedIndex(np.array([3, 0, 0], np.float32)), np.array([0.0, 1.0, 3.0]))
    assert np.allclose(index.scores(["x"])[0][[1, 2, 0]], straight.scores(["x"])[0])


def test_places_are_measured_in_words_of_the_mean_length():
    chunks = [Chunk("one two", 0, 7), Chunk("six", 8, 11), Chunk("seven", 20, 25)]
    assert places(chunks).tolist() == [3.5 * 4 / 15, 9.5 * 4 / 15, 22.5 * 4 / 15]
    assert places([Chunk("東京都", 0, 3), Chunk("大阪府", 3, 6)]).tolist() == [1.5, 4.5]
    assert places([]).shape == (0,) and places([Chunk("", 0, 0)]).tolist() == [0]


def test_a_stretch_that_matches_throughout_comes_before_one_that_matches_once(chunks):
    texts = chunks("hen hen hen", "fox", "fox", "fox", "fox", "owl", "hen owl", "bee hen", "hen fly")
    plain, spread = (retrievers.get(name).index(texts) for name in ("bm25", "spread:bm25,words=3"))
    assert plain.search(["hen"], 1)[1].tolist() == [[0]]
    assert spread.search(["hen"], 2)[1].tolist() == [[8, 7]]


def test_scores_that_are_all_the_same_are_all_zero(chunks):
    for name in ("tfidf", "all", "hybrid:[bm25,tfidf]"):
        index = retrievers.get("spread", retriever=name).index(chunks("fox", "hen owl", "bee"))
        assert index.scores(["unknown", ""]).tolist() == [[0, 0, 0]] * 2


def test_the_centroid_scores_are_spread_too(chunks):
    texts = chunks("hen hen", "fox", "hen")
    member = retrievers.get("bm25").index(texts).centroid_scores()
    expected = _SpreadIndex(FixedIndex(member.astype(np.float32)), places(texts) / 2).scores(["x"])[0]
    assert np.allclose(retrievers.get("spread:bm25,words=2").index(texts).centroid_scores(), expected, atol=1e-6)


def test_a_hundred_thousand_chunks_are_spread():
    chunks = [Chunk("fox" if number % 1000 else "hen", 4 * number, 4 * number + 3) for number in range(100_000)]
    scores = retrievers.get("spread").index(chunks).scores(["hen"])
    assert scores.shape == (1, 100_000) and np.isfinite(scores).all() and scores.argmax() % 1000 == 0


def test_it_is_described_in_full_and_has_the_properties_of_its_member():
    spread = retrievers.get("spread:{bm25:b=0}")
    assert describe(spread)["retriever"]["b"] == 0 and retrievers.get(describe(spread)) == spread
    assert spread.ranks_by_centroid and spread.query_source == "query"
    assert retrievers.get("spread:first").query_source == "nothing"


def test_lengths_over_the_encoder_s_limit_are_passed_on(chunks, limited_encoder):
    dense = retrievers.get("dense", model=limited_encoder(2))
    index = retrievers.get("spread", retriever=dense).index(chunks("one two three", "four"))
    assert [lengths.over for lengths in index.passages()] == [1]
    assert [lengths.over for lengths in index.queries(["five", "six seven eight"])] == [1]


@pytest.mark.parametrize("words", [0, -1, float("inf")])
def test_words_must_be_over_zero(words):
    with pytest.raises(UserError, match="spread: words must be a number over 0"):
        retrievers.get("spread", words=words)
