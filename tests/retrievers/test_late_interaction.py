import numpy as np
import pytest

import retrievers
from longdoc.errors import UserError
from models.encoders import TokenVectors

WORDS = {"cat": [1.0, 0.0, 0.0], "kitten": [0.8, 0.6, 0.0], "dog": [0.0, 1.0, 0.0], "the": [0.0, 0.0, 1.0]}


class WordVectors:
    """An encoder for which each word is a token with a vector of its own."""

    def __init__(self) -> None:
        self.passage_calls = 0

    def encode(self, texts, kind):
        raise AssertionError("only tokens are compared")

    def identity(self):
        return {"model": "words"}

    def token_vectors(self, texts, kind):
        self.passage_calls += kind == "passage"
        split = [[word for word in text.split() if word in WORDS] for text in texts]
        words = [word for row in split for word in row]
        vectors = np.array([WORDS[word] for word in words], np.float32).reshape(len(words), 3)
        starts = np.cumsum([0, *map(len, split)]).astype(np.int64)
        return TokenVectors(vectors, np.array([list(WORDS).index(word) for word in words], np.int64), starts)


def test_each_token_of_the_query_counts_with_the_most_similar_token_of_the_chunk(chunks):
    index = retrievers.get("late_interaction", model=WordVectors()).index(chunks("kitten", "the dog", "cat cow"))
    assert index.scores(["cat dog"]) == pytest.approx(np.array([[(0.8 + 0.6) / 2, (0 + 1) / 2, 0.5]]))


def test_a_token_of_few_chunks_weighs_more(chunks):
    index = retrievers.get("late_interaction", model=WordVectors()).index(chunks("the dog", "the the", "the cat"))
    the, cat = np.log1p(0.5 / 3.5), np.log1p(2.5 / 1.5)
    assert index.scores(["the cat"]) == pytest.approx(np.array([[the, the, the + cat]]) / (the + cat))


def test_a_blank_query_and_a_query_without_tokens_score_nothing(chunks):
    index = retrievers.get("late_interaction", model=WordVectors()).index(chunks("cat", "dog"))
    assert index.scores(["", " \n", "zyxwvu"]).tolist() == [[0.0, 0.0]] * 3


def test_a_chunk_without_tokens_ranks_last(chunks):
    index = retrievers.get("late_interaction", model=WordVectors()).index(chunks("zyxwvu", "dog", "cat"))
    assert index.search(["cat"])[1].tolist() == [[2, 1, 0]]


def test_a_group_has_the_tokens_of_its_chunks_which_are_encoded_as_for_the_chunks_alone(chunks):
    encoder = WordVectors()
    retriever = retrievers.get("late_interaction", model=encoder)
    index = retriever.index_groups(chunks("kitten", "dog", "the"), [[0, 1], [1, 2], [2]])
    cat, dog = np.log1p(3.5 / 0.5), np.log1p(2.5 / 1.5)  # in none, and in one
    assert index.scores(["cat dog"]) == pytest.approx(np.array([[0.8 * cat + dog, dog, 0.0]]) / (cat + dog))


def test_no_chunks_give_no_scores():
    assert retrievers.get("late_interaction", model=WordVectors()).index([]).scores(["cat"]).shape == (1, 0)


def test_an_encoder_without_vectors_of_tokens_is_refused(encoder):
    with pytest.raises(UserError, match="HashEncoder has none; use retriever='dense'"):
        retrievers.get("late_interaction", model=encoder)
