import numpy as np
import pytest

import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe
from retrievers.blend import standardized


def test_a_score_is_the_sum_of_standardized_scores(chunks):
    index = retrievers.get("blend:[first,last]").index(chunks("a", "b", "c", "d"))
    assert index.scores(["x"]).tolist() == [[0, 0, 0, 0]]
    index = retrievers.get("blend:[first,last],weights=[2,1]").index(chunks("a", "b", "c"))
    z_score = 1.5**0.5  # of three numbers in a row, the highest in standard deviations
    assert index.scores(["x"])[0] == pytest.approx([z_score, 0, -z_score])
    assert index.search(["x"], 2)[1].tolist() == [[0, 1]]


def test_rows_are_standardized_and_those_that_tie_are_zero():
    scores = np.array([[1, 2, 3], [5, 5, 5 + 5e-7], [0, 0, 0]])
    assert standardized(scores).tolist() == [pytest.approx([-(1.5**0.5), 0, 1.5**0.5]), [0, 0, 0], [0, 0, 0]]
    assert standardized(np.zeros((2, 0))).shape == (2, 0) and standardized(np.ones((2, 1))).tolist() == [[0], [0]]


def test_a_member_that_finds_nothing_adds_nothing(chunks, encoder):
    texts = chunks("fox", "owl owl", "hen fox")
    dense = retrievers.get("dense", model=encoder)
    blend = retrievers.get("blend", retrievers=("bm25", dense))
    expected = standardized(dense.index(texts).scores(["unknown"])).astype(np.float32)
    assert np.array_equal(blend.index(texts).scores(["unknown"]), expected)


def test_weights_default_to_one_and_are_recorded():
    blend = retrievers.get("blend:[bm25:heading=true,tfidf]")
    assert blend.weights == (1, 1) and blend.retrievers[0].heading
    assert retrievers.get(describe(blend)) == blend


def test_it_takes_the_queries_of_its_members():
    assert retrievers.get("blend:[first,tfidf]").query_source == "query"
    assert retrievers.get("blend:[tfidf,bm25]").ranks_by_centroid
    assert not retrievers.get("blend:[tfidf,first]").ranks_by_centroid


def test_it_ranks_by_the_centroid_if_all_members_do(chunks):
    texts = chunks("hen fox", "hen", "owl")
    members = [retrievers.get(name).index(texts).centroid_scores()[None] for name in ("tfidf", "bm25")]
    blend = retrievers.get("blend:[tfidf,bm25],weights=[1,3]").index(texts)
    assert blend.centroid_scores() == pytest.approx((standardized(members[0]) + 3 * standardized(members[1]))[0])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("blend:[tfidf]", "two or more"),
        ("blend:[tfidf,random]", "must all rank by the same thing"),
        ("blend:[tfidf,bm25],weights=[1]", "weights must be 2 positive numbers"),
        ("blend:[tfidf,bm25],weights=[1,0]", "weights must be 2 positive numbers"),
        ("blend:[tfidf,bm52]", "did you mean bm25"),
    ],
)
def test_wrong_members_and_weights_are_refused(spec, message):
    with pytest.raises(UserError, match=message):
        retrievers.get(spec)
