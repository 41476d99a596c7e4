"""The contract of retrievers, for every registered one."""

import numpy as np
import pytest

import retrievers
from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, JudgedDocument, Retriever
from tests import tiny_models
from tests.turns import for_each

TEXTS = [
    "The cat sat on the mat.",
    "A dog ran to the garden; the dog did sleep.",
    "The cat sat on the mat.",
    "summer",
    "Über naïve ΣΊΣΥΦΟΣ 東京 🐈 \ud800",
    "Where did the cat sleep in winter?",
    "a ?",
    "The cat sat on the mat.",
    "winter winter summer dog",
]
QUERIES = ["Where did the cat sleep?", "dog", "", "zyxwvu", "ΣΊΣΥΦΟΣ 東京 \ud800", "winter summer winter"]

EVERY = retrievers.names()
BOUNDED = [name for name in EVERY if getattr(retrievers.registry.component(name), "most", None) is not None]
NAMES = [name for name in EVERY if name not in BOUNDED]
CENTRAL = [n for n in NAMES if getattr(retrievers.registry.component(n), "ranks_by_centroid", False)]
READING = [n for n in NAMES if getattr(retrievers.registry.component(n), "query_source", "") not in {"nothing", "id"}]

BY_CONTEXT = {"best", "evidence", "evidence_ranker", "late_interaction"}  # the rank also depends on nearby chunks


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory):
    """An encoder's folder: one BERT layer and a WordPiece vocabulary trained on the texts above."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    pieces = BertWordPieceTokenizer()
    pieces.train_from_iterator([text.replace("\ud800", "") for text in TEXTS], vocab_size=120, min_frequency=1)
    BertTokenizerFast(vocab=pieces.get_vocab()).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=pieces.get_vocab_size(), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def tiny_reranker(tmp_path_factory):
    return str(tiny_models.bert_pairs(tmp_path_factory.mktemp("reranker")))


@pytest.fixture(scope="module")
def trained_ranker(tmp_path_factory):
    """The folder of a ranker, trained with one chunk as evidence for each of two queries."""
    folder = tmp_path_factory.mktemp("ranker")
    ranker = retrievers.get("evidence_ranker:signals=[bm25,tfidf]")
    shares = np.zeros((2, len(TEXTS)), np.float32)
    shares[0, 1] = shares[1, 8] = 1
    ranker.fit([JudgedDocument("d", chunks_of(TEXTS), QUERIES[:2], shares)])
    ranker.save(folder)
    return str(folder)


@pytest.fixture(autouse=True)
def cache_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path))


@pytest.fixture
def retriever_of(request):
    """A function that makes a retriever by name, with tiny models if it needs one."""

    def make(name):
        fixture = request.getfixturevalue
        if name in {"best", "evidence"}:
            tiny = {"name": "sentence_transformer", "model": fixture("tiny_model"), "device": "cpu"}
            return retrievers.get(name, encoder=tiny)
        if name == "late_interaction":
            return retrievers.get("late_interaction", model=fixture("tiny_model"), device="cpu")
        if name == "rerank":
            return retrievers.get("rerank", model=fixture("tiny_reranker"), device="cpu")
        if name == "evidence_ranker":
            return retrievers.get(fixture("trained_ranker"))
        if name not in {"dense", "hybrid", "blend"}:
            return retrievers.get(name)
        dense = {"name": "dense", "model": fixture("tiny_model"), "device": "cpu"}
        return retrievers.get(dense if name == "dense" else {"name": name, "retrievers": ["bm25", dense]})

    return make


def chunks_of(texts):
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    return [Chunk(text, start, start + len(text)) for text, start in zip(texts, starts, strict=False)]


@pytest.fixture
def index_of(retriever_of):
    """A function that makes the index of the texts with a named retriever."""
    return lambda name: retriever_of(name).index(chunks_of(TEXTS))


@for_each("name", NAMES)
def test_a_retriever_has_its_attributes(name, retriever_of):
    retriever = retriever_of(name)
    index = retriever.index(chunks_of(TEXTS))
    assert isinstance(retriever, Retriever) and isinstance(index, Index)
    assert retriever.query_source in {"query", "nothing", "id", "references"}
    assert type(retriever.takes_k) is bool


@for_each("name", NAMES)
def test_results_have_the_right_shapes_and_types(name, index_of):
    index = index_of(name)
    scores, ids = index.search(QUERIES, 3)
    assert (scores.shape, scores.dtype, ids.shape, ids.dtype) == ((6, 3), np.float32, (6, 3), np.int64)
    table = index.scores(QUERIES)
    assert (table.shape, table.dtype) == ((6, 9), np.float32) and np.isfinite(table).all()


@for_each("name", NAMES)
def test_without_k_every_chunk_is_ranked_once(name, index_of):
    index = index_of(name)
    _, ids = index.search(QUERIES)
    assert np.array_equal(np.sort(ids, axis=1), np.tile(np.arange(9), (6, 1)))


@for_each("name", NAMES)
def test_k_is_clamped_to_the_chunks(name, index_of):
    index = index_of(name)
    assert index.search(QUERIES, 1000)[1].tolist() == index.search(QUERIES)[1].tolist()


@pytest.mark.parametrize("name", BOUNDED)
@for_each("k", [1, 3, None])
def test_a_retriever_with_a_maximum_selects_no_more(name, k):
    retriever = retrievers.get(name)
    for chunks in (chunks_of(TEXTS), []):
        index = retriever.index(chunks)
        scores, ids = index.search(QUERIES, k)
        width = min(retriever.most, len(chunks), len(chunks) if k is None else k)
        assert (scores.shape, scores.dtype, ids.shape, ids.dtype) == ((6, width), np.float32, (6, width), np.int64)
        assert index.scores(QUERIES).shape == (6, len(chunks))


@for_each("k", [0, -1])
@for_each("name", NAMES)
def test_k_below_one_is_refused(name, index_of, k):
    index = index_of(name)
    with pytest.raises(UserError, match="k must be at least 1"):
        index.search(QUERIES, k)


@for_each("k", [1, 4, None])
@for_each("name", NAMES)
def test_the_best_come_first_and_ties_by_position(name, index_of, k):
    index = index_of(name)
    scores, ids = index.search(QUERIES, k)
    steps = np.rint(scores.astype(np.float64) * 1e6)
    assert (np.diff(steps) <= 0).all()
    assert (np.diff(ids)[np.diff(steps) == 0] > 0).all()


@for_each("name", NAMES)
def test_the_ranking_is_that_of_the_scores(name, index_of):
    index = index_of(name)
    table = index.scores(QUERIES)
    scores, ids = index.search(QUERIES)
    assert np.allclose(np.take_along_axis(table, ids, axis=1), scores, atol=1e-6)


@for_each("k", [1, 2, 5])
@for_each("name", NAMES)
def test_the_first_k_are_the_beginning_of_the_whole_ranking(name, index_of, k):
    index = index_of(name)
    scores, ids = index.search(QUERIES, k)
    all_scores, all_ids = index.search(QUERIES)
    assert np.array_equal(ids, all_ids[:, :k]) and np.allclose(scores, all_scores[:, :k], atol=1e-6)


@for_each("name", [name for name in READING if name not in BY_CONTEXT])
def test_equal_chunks_are_in_document_order(name, index_of):
    index = index_of(name)
    for row in index.search(QUERIES)[1].tolist():
        assert [chunk for chunk in row if chunk in (0, 2, 7)] == [0, 2, 7]
    table = index.scores(QUERIES)
    assert np.array_equal(table[:, 0], table[:, 2]) and np.array_equal(table[:, 0], table[:, 7])


@for_each("name", NAMES)
def test_a_search_gives_the_same_again_and_from_a_new_index(name, retriever_of):
    retriever = retriever_of(name)
    index = retriever.index(chunks_of(TEXTS))
    first = index.search(QUERIES, 4)
    for searched in (index, retriever.index(chunks_of(TEXTS))):
        again = searched.search(QUERIES, 4)
        assert np.array_equal(first[0], again[0]) and np.array_equal(first[1], again[1])


@for_each("name", NAMES)
def test_queries_together_have_the_results_of_single_ones(name, index_of):
    index = index_of(name)
    scores, ids = index.search(QUERIES, 4)
    for number, query in enumerate(QUERIES):
        alone = index.search([query], 4)
        assert np.allclose(alone[0][0], scores[number], atol=1e-6) and np.array_equal(alone[1][0], ids[number])


@for_each("name", NAMES)
def test_without_queries_there_are_no_rows(name, index_of):
    index = index_of(name)
    scores, ids = index.search([], 3)
    assert (scores.shape, scores.dtype, ids.shape, ids.dtype) == ((0, 3), np.float32, (0, 3), np.int64)
    assert index.search([])[0].shape == (0, 9) and index.scores([]).shape == (0, 9)


@for_each("name", NAMES)
def test_nothing_is_found_without_chunks(name, retriever_of):
    retriever = retriever_of(name)
    index = retriever.index([])
    scores, ids = index.search(QUERIES, 3)
    assert (scores.shape, scores.dtype, ids.shape, ids.dtype) == ((6, 0), np.float32, (6, 0), np.int64)
    assert index.search([], 3)[0].shape == (0, 0) and index.scores(QUERIES).shape == (6, 0)


@for_each("text", ["The cat sat on the mat.", "a", "?", "\ud800"])
@for_each("name", NAMES)
def test_the_only_chunk_is_always_found(name, retriever_of, text):
    retriever = retriever_of(name)
    scores, ids = retriever.index(chunks_of([text])).search(QUERIES, 5)
    assert ids.tolist() == [[0]] * 6 and np.isfinite(scores).all()


@for_each("name", READING)
def test_an_empty_query_ranks_in_document_order(name, index_of):
    index = index_of(name)
    for query in ("", " \n"):
        scores, ids = index.search([query])
        assert ids.tolist() == [list(range(9))] and np.ptp(scores) == 0


@pytest.mark.parametrize("name", ["tfidf", "bm25"])
@pytest.mark.parametrize("query", ["", "zyxwvu", "a ?", "\ud800"])
def test_words_that_no_chunk_has_score_zero_in_document_order(name, query):
    scores, ids = retrievers.get(name).index(chunks_of(TEXTS)).search([query])
    assert scores.tolist() == [[0.0] * 9] and ids.tolist() == [list(range(9))]


@for_each("name", CENTRAL)
@for_each("k", [1, 4, None, 1000])
def test_the_centroid_ranks_the_chunks_best_first_and_ties_by_position(name, retriever_of, k):
    retriever = retriever_of(name)
    index = retriever.index(chunks_of(TEXTS))
    scores, ids = index.centroid(k)
    width = min(k or 9, 9)
    assert (scores.shape, scores.dtype, ids.shape, ids.dtype) == ((width,), np.float32, (width,), np.int64)
    row = index.centroid_scores()
    steps = np.rint(row * 1e6)[ids]
    assert np.isfinite(row).all() and (np.diff(steps) <= 0).all() and (np.diff(ids)[np.diff(steps) == 0] > 0).all()
    assert np.array_equal(ids, index.centroid()[1][:width]) and np.array_equal(scores, row[ids].astype(np.float32))
    again = retriever.index(chunks_of(TEXTS))
    assert np.array_equal(row, again.centroid_scores())


@for_each("name", [name for name in CENTRAL if name not in BY_CONTEXT])
def test_equal_chunks_are_in_document_order_by_the_centroid(name, index_of):
    index = index_of(name)
    assert [chunk for chunk in index.centroid()[1].tolist() if chunk in (0, 2, 7)] == [0, 2, 7]


@for_each("name", CENTRAL)
def test_no_chunks_have_no_centroid_and_k_below_one_is_refused(name, retriever_of):
    retriever = retriever_of(name)
    index = retriever.index(chunks_of(TEXTS))
    scores, ids = retriever.index([]).centroid(3)
    assert (scores.shape, ids.shape, ids.dtype) == ((0,), (0,), np.int64)
    with pytest.raises(UserError, match="k must be at least 1"):
        index.centroid(0)
