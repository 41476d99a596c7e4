import numpy as np
import pytest

import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe
from retrievers.hybrid import _HybridIndex, worst_ranks
from retrievers.shared.ranking import FixedIndex, falling


def test_a_score_is_the_sum_of_inverse_ranks(chunks):
    index = retrievers.get("hybrid", retrievers=("first", "last")).index(chunks("a", "b", "c"))
    assert index.scores(["x"])[0] == pytest.approx([1000 / 61 + 1000 / 63, 2000 / 62, 1000 / 63 + 1000 / 61])
    assert index.search(["x"])[1].tolist() == [[0, 2, 1]]


def test_c_is_added_to_the_ranks(chunks):
    index = retrievers.get("hybrid", retrievers=("first", "first"), c=0).index(chunks("a", "b"))
    assert index.scores(["x"]).tolist() == [[2000, 1000]]


def test_ties_share_the_worst_rank_of_their_group():
    scores = np.array([[0.5, 0.0, 0.9, 0.5 + 3e-7, 0.0]], np.float32)
    assert worst_ranks(scores).tolist() == [[3, 5, 1, 3, 5]]
    assert worst_ranks(np.zeros((0, 3), np.float32)).shape == (0, 3)


def test_chunks_that_match_nothing_gain_nothing_by_position(chunks, encoder):
    members = ("tfidf", {"name": "dense", "model": encoder})
    index = retrievers.get("hybrid", retrievers=members).index(chunks("fox", "owl", "hen", "bee"))
    scores = index.scores(["unknown", ""])
    assert scores[1].tolist() == pytest.approx([2000 / 64] * 4)
    lexical = retrievers.get("hybrid", retrievers=("tfidf", "bm25")).index(chunks("fox", "owl", "hen", "bee"))
    assert lexical.scores(["hen"])[0] == pytest.approx([2000 / 64, 2000 / 64, 2000 / 61, 2000 / 64])


def test_twenty_thousand_ranks_are_distinguished(chunks):
    texts = chunks(*["x"] * 20_000)
    _, ids = retrievers.get("hybrid:[last,last]").index(texts).search(["x"])
    assert ids[0].tolist() == list(range(19_999, -1, -1))


def test_late_ranks_are_distinguished_beside_a_first_one():
    backwards = falling(np.arange(20_000)[::-1])
    lifted = backwards.copy()
    lifted[[0, 1]] = 30_000  # both share rank 2 here; by `backwards` they have the ranks 20,000 and 19,999
    order = _HybridIndex([FixedIndex(lifted), FixedIndex(backwards)], 0).search(["x"])[1][0].tolist()
    assert order.index(1) < order.index(0)


def test_agreement_beats_one_strong_vote(chunks):
    texts = ["hen hen hen fox", "hen owl", "fox fox owl", "owl bee"]
    index = retrievers.get("hybrid:[tfidf,bm25]").index(chunks(*texts))
    _, ids = index.search(["hen"], 2)
    assert sorted(ids[0].tolist()) == [0, 1]


def test_members_can_be_names_mappings_specs_and_objects(encoder):
    members = ("tfidf", {"name": "bm25", "b": 0.5}, "bm25:k1=2", retrievers.get("dense", model=encoder))
    hybrid = retrievers.get("hybrid", retrievers=members)
    assert [type(member).__name__ for member in hybrid.retrievers] == ["Tfidf", "Bm25", "Bm25", "Dense"]


def test_it_can_be_made_from_nested_specs_and_from_its_description():
    hybrid = retrievers.get("hybrid:[tfidf,{dense:model=minilm,dtype=bf16}],c=10")
    assert hybrid.retrievers[1].dtype == "bf16" and hybrid.c == 10
    assert retrievers.get(describe(hybrid)) == hybrid
    assert describe(hybrid)["retrievers"][0]["norm"] == "l2"


def test_it_takes_the_queries_of_its_members():
    assert retrievers.get("hybrid:[tfidf,bm25]").query_source == "query"
    assert retrievers.get("hybrid:[first,tfidf]").query_source == "query"
    assert retrievers.get("hybrid:[first,last]").query_source == "nothing"
    assert retrievers.get("hybrid:[random,first]").query_source == "id"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hybrid:[tfidf]", "two or more"),
        ("hybrid:[]", "two or more"),
        ("hybrid:[tfidf,random]", "must all rank by the same thing"),
        ("hybrid:[tfidf,bm52]", "did you mean bm25"),
        ("hybrid:[tfidf,bm25],c=-1", "c must be"),
        ({"name": "hybrid", "retrievers": ["tfidf", 3]}, "is not a retriever"),
    ],
)
def test_wrong_members_and_fields_are_refused(spec, message):
    with pytest.raises(UserError, match=message):
        retrievers.get(spec)


class NanRetriever(retrievers.Retriever):
    def index(self, chunks):
        return self

    def scores(self, queries):
        return np.full((len(queries), 2), np.nan, np.float32)

    def search(self, queries, k=None):
        raise AssertionError


def test_a_member_without_finite_scores_is_reported(chunks):
    index = retrievers.get("hybrid", retrievers=("bm25", NanRetriever())).index(chunks("hen", "fox"))
    with pytest.raises(UserError, match="hybrid: NanRetriever returned NaN or infinite scores"):
        index.search(["hen"], 1)
