"""Rerankers over tiny models with random weights: what they score is compared with the models themselves."""

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


def made(texts):
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    return [Chunk(text, start, start + len(text), "Mill") for text, start in zip(texts, starts, strict=False)]


def rerank(model, **fields):
    return retrievers.get({"name": "rerank", "model": model, "device": "cpu", **fields})


def test_a_cross_encoders_logits_are_the_scores(cross_encoder):
    scores = rerank(cross_encoder).index(made(TEXTS)).scores(["Who mended the wheel?"])[0]
    reader = CrossEncoder(cross_encoder, device="cpu", dtype="fp32")
    expected = reader.logits([("Who mended the wheel?", text) for text in TEXTS])
    assert scores == pytest.approx(expected, abs=1e-5)


def test_a_heading_is_read_before_the_text_if_asked(cross_encoder):
    scores = rerank(cross_encoder, heading=True).index(made(TEXTS[:1])).scores(["Who mended the wheel?"])[0]
    reader = CrossEncoder(cross_encoder, device="cpu", dtype="fp32")
    assert scores == pytest.approx(reader.logits([("Who mended the wheel?", f"Mill\n{TEXTS[0]}")]), abs=1e-5)


def test_the_others_follow_in_their_own_order_below_those_reranked(cross_encoder):
    question = "Who mended the wheel of the mill, Tom or the ice?"
    index = rerank(cross_encoder, top=1).index(made(TEXTS))
    scores, ids = index.search([question])
    first = retrievers.get("bm25").index(made(TEXTS)).search([question])[1][0].tolist()
    assert ids[0].tolist() == first == [1, 4, 2, 3, 0]
    assert scores[0, 0] == scores[0, 1] > scores[0, 2] + 0.9


def test_chunks_of_equal_text_count_once(cross_encoder):
    scores = rerank(cross_encoder, top=2).index(made(TEXTS)).scores(["Who mended the wheel of the mill?"])[0]
    assert scores[1] == scores[4]
    assert (np.sort(scores)[:2] < np.sort(scores)[2] - 0.9).all()


def test_a_blank_query_is_not_reranked(cross_encoder):
    assert rerank(cross_encoder).index(made(TEXTS)).scores([" "]).tolist() == [[0.0] * 5]


def test_a_long_chunk_counts_with_its_best_window_and_is_counted(cross_encoder):
    long = " ".join(["The ice broke the wheel."] * 20 + ["Anna kept a lamp in the window."] * 5)
    model = relevance.get(cross_encoder, "cpu")
    index = rerank(cross_encoder).index(made([long, "Tom."]))
    ((limit, texts, over),) = [(one.limit, one.texts, one.over) for one in index.passages()]
    assert (limit, texts, over) == (model.max_tokens("passage"), 2, 1) == (46, 2, 1)
    (split,) = model.split([long], "passage")
    parts = [long[start:end] for start, end in split.windows]
    assert len(parts) > 2
    assert max(model.scores("Who?", parts)) == pytest.approx(index.scores(["Who?"])[0, 0], abs=1e-5)
    (asked,) = index.queries(["Who mended the wheel? " * 10, ""])
    assert (asked.limit, asked.texts, asked.over) == (15, 1, 1)


def test_a_colbert_model_adds_the_best_similarity_of_each_token(colbert):
    import sentence_transformers

    assert relevance.is_colbert(colbert)
    scores = rerank(colbert).index(made(TEXTS)).scores(["Who mended the wheel?"])[0]
    model = sentence_transformers.MultiVectorEncoder(colbert, device="cpu")
    asked = model.encode_query("Who mended the wheel?", convert_to_numpy=True)
    held = [model.encode_document(text, convert_to_numpy=True) for text in TEXTS]
    assert scores == pytest.approx([(asked @ one.T).max(axis=1).sum() for one in held], abs=1e-4)


def test_a_colbert_models_own_limits_are_counted(colbert):
    index = rerank(colbert).index(made(["Tom mended the wheel of the mill. " * 20]))
    (passages,) = index.passages()
    assert passages.over == 1
    assert passages.beyond == passages.tokens - passages.limit


def test_a_model_that_reads_one_text_is_no_reranker(tmp_path):
    import sentence_transformers

    tiny_models.bert_pairs(tmp_path)
    sentence_transformers.SentenceTransformer(str(tmp_path)).save_pretrained(str(tmp_path / "encoder"))
    with pytest.raises(UserError, match="encodes query and text separately, so it scores no pairs: retriever='dense:"):
        rerank(str(tmp_path / "encoder")).index(made(TEXTS))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"top": 0}, "top must be at least 1"),
        ({"retriever": "first"}, "retriever must rank by the question"),
        ({"retriever": "bn25"}, "bm25"),
    ],
)
def test_what_cannot_be_is_refused(fields, message):
    with pytest.raises(UserError, match=message):
        rerank("any", **fields)


def test_a_model_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match=r"no config\.json"):
        rerank(str(tmp_path)).index(made(TEXTS))


def test_it_is_shown_with_its_fields_alone(cross_encoder):
    used = rerank(cross_encoder)
    used.index(made(TEXTS)).scores(["Who mended the wheel?"])
    assert repr(used) == repr(rerank(cross_encoder))
    assert repr(used).endswith(", top=50, heading=False, device='cpu')")
