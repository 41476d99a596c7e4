"""Chunks ranked by the document's own centroid, compared with plain NumPy and scikit-learn."""

import numpy as np
import pytest

import retrievers
from retrievers import CentroidIndex
from retrievers.hybrid import worst_ranks

TEXTS = [
    "The mill stood by the river, and the river ran past the town.",
    "Anna kept a lamp in the window of the mill.",
    "Every winter the ice broke the wheel of the mill by the river.",
    "Yes.",
    "Tom mended the wheel; the river froze, the mill stood still.",
]


def word_counts(texts):
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer().fit_transform(texts).toarray().astype(float)


def test_tfidf_takes_the_mean_of_the_chunks_vectors(chunks):
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer().fit_transform(TEXTS).toarray()
    index = retrievers.get("tfidf").index(chunks(*TEXTS))
    assert index.centroid_scores() == pytest.approx(vectors @ vectors.mean(axis=0), abs=1e-12)
    scores, ids = index.centroid()
    assert ids.tolist() == np.argsort(-vectors @ vectors.mean(axis=0)).tolist()
    assert scores == pytest.approx(np.sort(vectors @ vectors.mean(axis=0))[::-1], abs=1e-6)


@pytest.mark.parametrize("options", [{"ngram_range": (1, 2)}, {"stop_words": "english"}, {"norm": None}])
def test_tfidf_takes_the_mean_vector_with_other_words_and_weights_too(chunks, options):
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(**options).fit_transform(TEXTS).toarray()
    index = retrievers.get("tfidf", **options).index(chunks(*TEXTS))
    assert index.centroid_scores() == pytest.approx(vectors @ vectors.mean(axis=0), abs=1e-10)


def test_tfidf_without_any_word_keeps_the_document_s_order(chunks):
    index = retrievers.get("tfidf", stop_words=("yes", "no")).index(chunks("yes", "no", "no"))
    scores, ids = index.centroid(2)
    assert (scores.tolist(), ids.tolist()) == ([0, 0], [0, 1])


def test_bm25_is_queried_with_every_word_of_the_document_as_often_as_it_occurs(chunks):
    counts = word_counts(TEXTS)
    df, lengths = (counts > 0).sum(axis=0), counts.sum(axis=1)
    idf = np.log(1 + (len(TEXTS) - df + 0.5) / (df + 0.5))
    weights = idf * counts / (counts + 1.2 * (1 - 0.75 + 0.75 * lengths / lengths.mean())[:, None])
    index = retrievers.get("bm25").index(chunks(*TEXTS))
    assert index.centroid_scores() == pytest.approx(weights @ counts.sum(axis=0), abs=1e-10)
    assert index.centroid()[0] == pytest.approx(index.search(["\n".join(TEXTS)])[0][0], rel=1e-6)
    assert index.centroid()[1].tolist() == index.search(["\n".join(TEXTS)])[1][0].tolist()


@pytest.mark.parametrize("normalize", [True, False])
def test_dense_takes_the_mean_embedding(chunks, encoder, normalize):
    vectors = encoder.encode(TEXTS, "passage").astype(np.float64)
    if normalize:
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = retrievers.get("dense", model=encoder, normalize=normalize).index(chunks(*TEXTS))
    encoder.encoded.clear()
    expected = vectors @ vectors.mean(axis=0)
    assert index.centroid_scores() == pytest.approx(expected, rel=1e-5)
    assert index.centroid(3)[1].tolist() == np.argsort(-expected)[:3].tolist()
    assert encoder.encoded == []  # nothing more is encoded for it


def test_hybrid_fuses_its_members_centroid_rankings(chunks, encoder):
    members = ("tfidf", "bm25", retrievers.get("dense", model=encoder))
    index = retrievers.get("hybrid", retrievers=members, c=10).index(chunks(*TEXTS))
    alone = [retrievers.get(member).index(chunks(*TEXTS)).centroid_scores() for member in members]
    fused = sum(1 / (10 + worst_ranks(member[None])[0]) for member in alone)
    scores = index.centroid_scores()
    assert scores / scores.max() == pytest.approx(fused / fused.max(), abs=1e-12)


def test_ties_stand_in_the_document_s_order(chunks):
    for name in ("tfidf", "bm25", "hybrid:[tfidf,bm25]"):
        index = retrievers.get(name).index(chunks("a mill", "a lamp", "a mill", "a lamp"))
        assert index.centroid()[1].tolist() == [0, 1, 2, 3]


def test_each_retriever_says_whether_it_ranks_by_centroid():
    components = {name: retrievers.registry.component(name) for name in retrievers.names()}
    by_centroid = {name for name, component in components.items() if getattr(component, "ranks_by_centroid", 0)}
    assert by_centroid >= {"tfidf", "bm25", "dense", "hybrid", "blend"}
    assert not by_centroid & {"first", "last", "random", "all", "mentions", "oracle"}
    assert retrievers.get("hybrid:[tfidf,bm25]").ranks_by_centroid is True
    assert retrievers.get("hybrid:[tfidf,first]").ranks_by_centroid is False
    assert isinstance(retrievers.get("bm25").index([]), CentroidIndex)
    assert not isinstance(retrievers.get("first").index([]), CentroidIndex)
