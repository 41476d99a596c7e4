"""Rerankers over tiny models with random weights, compared with the models called directly."""

import numpy as np
import pytest

import retrievers
from chunkers import Chunk
from longdoc.errors import UserError
from models import relevance
from models.neural.cross_encoder import CrossEncoder
from tests import tiny_models

TEXTS = [
    "Anna kept a lamp in the window.",
    "Tom mended the wheel of the mill.",
    "The ice broke the wheel.",
    "Who found the way?",
    "Tom mended the wheel of the mill.",
]


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory):
    return str(tiny_models.bert_pairs(tmp_path_factory.mktemp("pairs")))


@pytest.fixture(scope="module")
def colbert(tmp_path_factory):
    """A ColBERT model in the layout of sentence-transformers: BERT, a projection to 8 dimensions, a mask."""
    return str(tiny_models.colbert(tmp_path_factory.mktemp("colbert")))


def chunks_of(texts):
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    return [Chunk(text, start, start + len(text), "Mill") for text, start in zip(texts, starts, strict=False)]


def rerank(model, **fields):
    return retrievers.get({"name": "rerank", "model": model, "device": "cpu", **fields})


def test_the_scores_are_the_logits_of_a_cross_encoder(cross_encoder):
    scores = rerank(cross_encoder).index(chunks_of(TEXTS)).scores(["Who mended the wheel?"])[0]
    reader = CrossEncoder(cross_encoder, device="cpu", dtype="fp32")
    expected = reader.logits([("Who mended the wheel?", text) for text in TEXTS])
    assert scores == pytest.approx(expected, abs=1e-5)


def test_a_heading_is_read_before_the_text_if_asked(cross_encoder):
    scores = rerank(cross_encoder, heading=True).index(chunks_of(TEXTS[:1])).scores(["Who mended the wheel?"])[0]
    reader = CrossEncoder(cross_encoder, device="cpu", dtype="fp32")
    assert scores == pytest.approx(reader.logits([("Who mended the wheel?", f"Mill\n{TEXTS[0]}")]), abs=1e-5)


def test_chunks_below_the_reranked_ones_keep_their_order(cross_encoder):
    question = "Who mended the wheel of the mill, Tom or the ice?"
    index = rerank(cross_encoder, top=1).index(chunks_of(TEXTS))
    scores, ids = index.search([question])
    first = retrievers.get("bm25").index(chunks_of(TEXTS)).search([question])[1][0].tolist()
    assert ids[0].tolist() == first == [1, 4, 2, 3, 0]
    assert scores[0, 0] == scores[0, 1] > scores[0, 2] + 0.9


def test_chunks_of_equal_text_count_once(cross_encoder):
    scores = rerank(cross_encoder, top=2).index(chunks_of(TEXTS)).scores(["Who mended the wheel of the mill?"])[0]
    assert scores[1] == scores[4]
    assert (np.sort(scores)[:2] < np.sort(scores)[2] - 0.9).all()


def test_a_blank_query_is_not_reranked(cross_encoder):
    assert rerank(cross_encoder).index(chunks_of(TEXTS)).scores([" "]).tolist() == [[0.0] * 5]


def test_a_long_chunk_has_the_score_of_its_best_window_and_is_counted(cross_encoder):
    long = " ".join(["The ice broke the wheel."] * 20 + ["Anna kept a lamp in the window."] * 5)
    model = relevance.get(cross_encoder, "cpu")
    index = rerank(cross_encoder).index(chunks_of([long, "Tom."]))
    ((limit, texts, over),) = [(lengths.limit, lengths.texts, lengths.over) for lengths in index.passages()]
    assert (limit, texts, over) == (model.max_tokens("passage"), 2, 1) == (46, 2, 1)
    (split,) = model.split([long], "passage")
    parts = [long[start:end] for start, end in split.windows]
    assert len(parts) > 2
    assert max(model.scores("Who?", parts)) == pytest.approx(index.scores(["Who?"])[0, 0], abs=1e-5)
    (lengths,) = index.queries(["Who mended the wheel? " * 10, ""])
    assert (lengths.limit, lengths.texts, lengths.over) == (15, 1, 1)


def test_a_colbert_model_adds_the_best_similarity_of_each_token(colbert):
    import sentence_transformers

    assert relevance.is_colbert(colbert)
    scores = rerank(colbert).index(chunks_of(TEXTS)).scores(["Who mended the wheel?"])[0]
    model = sentence_transformers.MultiVectorEncoder(colbert, device="cpu")
    query = model.encode_query("Who mended the wheel?", convert_to_numpy=True)
    documents = [model.encode_document(text, convert_to_numpy=True) for text in TEXTS]
    assert scores == pytest.approx([(query @ document.T).max(axis=1).sum() for document in documents], abs=1e-4)


def test_passages_over_the_limit_of_a_colbert_model_are_counted(colbert):
    index = rerank(colbert).index(chunks_of(["Tom mended the wheel of the mill. " * 20]))
    (passages,) = index.passages()
    assert passages.over == 1
    assert passages.beyond == passages.tokens - passages.limit


def test_a_model_that_encodes_texts_separately_is_refused(tmp_path):
    import sentence_transformers

    tiny_models.bert_pairs(tmp_path)
    sentence_transformers.SentenceTransformer(str(tmp_path)).save_pretrained(str(tmp_path / "encoder"))
    with pytest.raises(UserError, match="encodes query and text separately, so it scores no pairs: retriever='dense:"):
        rerank(str(tmp_path / "encoder")).index(chunks_of(TEXTS))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"top": 0}, "top must be at least 1"),
        ({"retriever": "first"}, "retriever must rank by the question"),
        ({"retriever": "bn25"}, "bm25"),
    ],
)
def test_wrong_fields_are_refused(fields, message):
    with pytest.raises(UserError, match=message):
        rerank("any", **fields)


def test_a_missing_model_is_reported(tmp_path):
    with pytest.raises(UserError, match=r"no config\.json"):
        rerank(str(tmp_path)).index(chunks_of(TEXTS))


def test_its_repr_has_only_its_fields(cross_encoder):
    reranker = rerank(cross_encoder)
    reranker.index(chunks_of(TEXTS)).scores(["Who mended the wheel?"])
    assert repr(reranker) == repr(rerank(cross_encoder))
    assert repr(reranker).endswith(", top=50, heading=False, device='cpu')")
