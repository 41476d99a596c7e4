import numpy as np
import pytest

from models.encoders._token_vectors import _windows, token_vectors
from models.encoders.sentence_transformer import SentenceTransformer

TEXTS = ["the cat sat on a mat", "dog", "the dog ran to the garden where the cat did sleep"]


def tokenize(texts):
    """One token for each word, with the word's length as id."""
    rows = []
    for text in texts:
        at, tokens = 0, []
        for word in text.split():
            at = text.index(word, at)
            tokens.append((len(word), (at, at + len(word))))
            at += len(word)
        rows.append(tokens)
    return rows


def encode(texts):
    """A token's vector: 3, and 4 in windows of over two tokens; with one special token before and two after."""
    return [
        np.array([[0, 0]] + [[3, 4 * (len(text.split()) > 2)]] * len(text.split()) + [[0, 0]] * 2, float)
        for text in texts
    ]


def test_each_text_has_the_vectors_of_its_tokens_of_length_one():
    tokens = token_vectors(["aa b", "ccc dd e"], 100, tokenize, encode, (1, 2), is_together=False)
    assert tokens.starts.tolist() == [0, 2, 5] and tokens.ids.tolist() == [2, 1, 3, 2, 1]
    assert tokens.vectors == pytest.approx(np.array([[1, 0]] * 2 + [[0.6, 0.8]] * 3))


def test_neighbours_are_encoded_together():
    tokens = token_vectors(["aa b", "c"], 100, tokenize, encode, (1, 2), is_together=True)
    assert tokens.starts.tolist() == [0, 2, 3] and tokens.vectors == pytest.approx(np.array([[0.6, 0.8]] * 3))


def test_a_text_longer_than_a_window_is_encoded_in_parts_and_none_is_left_out():
    tokens = token_vectors(["a bb ccc dddd eeeee", "", "f"], 2, tokenize, encode, (1, 2), is_together=True)
    assert tokens.ids.tolist() == [1, 2, 3, 4, 5, 1] and tokens.starts.tolist() == [0, 5, 5, 6]


def test_no_texts_have_no_vectors():
    assert token_vectors([], 8, tokenize, encode, (1, 2), is_together=True).starts.tolist() == [0]


def test_windows_fill_three_quarters_and_have_a_neighbour_on_either_side_where_it_fits():
    assert _windows([3, 3, 3, 3, 3], 12) == [(0, 0, 3, 4), (2, 3, 5, 5)]
    windows = _windows([3, 3, 2, 1, 5, 4], 8)
    assert [at for _, first, last, _ in windows for at in range(first, last)] == list(range(6))
    assert all(sum([3, 3, 2, 1, 5, 4][low:high]) <= 8 for low, _, _, high in windows)


def test_the_vectors_of_a_query_are_those_that_sentence_transformers_gives(tiny_model):
    import sentence_transformers

    folder = tiny_model()
    theirs = sentence_transformers.SentenceTransformer(str(folder), device="cpu").encode(
        TEXTS[0], output_value="token_embeddings"
    )
    inner = theirs.numpy()[1:-1]
    tokens = SentenceTransformer(str(folder), device="cpu", dtype="fp32").token_vectors(TEXTS[:1], "query")
    assert np.allclose(tokens.vectors, inner / np.linalg.norm(inner, axis=1, keepdims=True), atol=1e-6)


def test_a_querys_vectors_do_not_depend_on_the_queries_beside_it(tiny_model):
    encoder = SentenceTransformer(str(tiny_model()))
    together = encoder.token_vectors(TEXTS, "query")
    alone = [encoder.token_vectors([text], "query").vectors for text in TEXTS]
    assert np.array_equal(together.vectors, np.concatenate(alone))


def test_the_prefix_has_no_vectors(tiny_model):
    encoder = SentenceTransformer(str(tiny_model()), passage_prefix="passage: ")
    assert encoder.token_vectors(TEXTS, "passage").starts.tolist() == [0, 6, 7, 18]


def test_passages_over_the_models_limit_are_whole(tiny_model):
    encoder = SentenceTransformer(str(tiny_model()))
    long = " ".join(TEXTS * 10)
    assert encoder.token_vectors([long, "dog"], "passage").starts.tolist() == [0, 180, 181]
