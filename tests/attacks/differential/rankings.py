"""Retrievers beside scikit-learn, bm25s and FAISS."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

import retrievers
from chunkers import Chunk
from tests.attacks.differential.comparisons import Comparison, Differences
from tests.random_texts import random_text

SCIKIT_LEARN = r"(?u)\b\w\w+\b"
STEMS = ("gull", "ship", "île", "naïve", "корабль", "x_1", "42")
VOCABULARY = [stem + ending for stem in STEMS for ending in ("", "s", "er")]


def chunks_of(texts: Sequence[str]) -> list[Chunk]:
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    return [Chunk(text, start, start + len(text)) for text, start in zip(texts, starts, strict=False)]


def sentence(draw: random.Random, vocabulary: Sequence[str], most: int) -> str:
    """Words with punctuation, the first of the vocabulary the most frequent."""
    words = draw.choices(vocabulary, [1 / (rank + 1) for rank in range(len(vocabulary))], k=draw.randint(0, most))
    return " ".join(word + draw.choice(("", "", ",", ".", "!")) for word in words)


def document(draw: random.Random) -> list[str]:
    """Up to 25 chunks; in every third document they are of all Unicode planes."""
    if draw.random() < 1 / 3:
        return [random_text(draw.random(), draw.randint(1, 200)) for _ in range(draw.randint(1, 6))]
    return [sentence(draw, VOCABULARY, 30) for _ in range(draw.randint(1, 25))]


def queries(draw: random.Random, texts: Sequence[str]) -> list[str]:
    """Words of the document and others."""
    words = " ".join(texts).split()[:200] or ["?"]
    return [" ".join(draw.choices([*words, *VOCABULARY], k=draw.randint(0, 6))) for _ in range(3)]


def disorder(scores: Any, ids: Any, table: Any) -> float:
    """Infinity where `ids` are not the order of the published scores, ties to 1e-6 by position; else 0."""
    distance = np.abs(np.take_along_axis(table, ids, axis=1) - scores).max(initial=0)
    is_descending = (np.diff(np.rint(scores.astype(np.float64) * 1e6)) <= 0).all()
    return float(distance) if is_descending else np.inf


def tfidf(draw: random.Random, n: int) -> Differences:
    """Scores of every query and chunk, with random options, on the fast path and by the vectorizer itself."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    for _ in range(n):
        options: dict[str, Any] = {
            "norm": draw.choice(("l2", "l2", "l1", None)), "sublinear_tf": draw.random() < 0.3,
        }  # fmt: skip
        if draw.random() < 0.3:
            options |= {"ngram_range": draw.choice(((1, 2), (2, 2))), "lowercase": draw.random() < 0.5}
        texts = document(draw)
        questions = queries(draw, texts)
        index = retrievers.get("tfidf", token_pattern=SCIKIT_LEARN, **options).index(chunks_of(texts))
        vectorizer = TfidfVectorizer(token_pattern=SCIKIT_LEARN, **options)
        try:
            matrix = vectorizer.fit_transform(texts)
            table = (vectorizer.transform(questions) @ matrix.T).toarray()
        except ValueError:  # no word in any text
            table = np.zeros((len(questions), len(texts)))
        scale = max(1.0, float(np.abs(table).max(initial=0)))
        scores, ids = index.search(questions)
        yield max(float(np.abs(index.scores(questions) - table).max(initial=0)), disorder(scores, ids, table)) / scale


def bm25(draw: random.Random, n: int) -> Differences:
    """Scores of every query and chunk, with random k1 and b."""
    import bm25s

    # others have further forms
    plain_words = [word for word in VOCABULARY if word.isalpha() and not set(word) & set("îï")]
    for _ in range(n):
        k1, b = draw.choice((0.0, 0.9, 1.2, 2.5)), draw.choice((0.0, 0.4, 0.75, 1.0))
        texts = [" ".join(draw.choices(plain_words, k=draw.randint(1, 40))) for _ in range(draw.randint(1, 25))]
        words_present = set(" ".join(texts).split())
        questions = [draw.choices(plain_words, k=draw.randint(1, 6)) for _ in range(3)]
        theirs = bm25s.BM25(method="lucene", k1=k1, b=b)
        theirs.index([text.split() for text in texts], show_progress=False)
        words_found = [[word for word in words if word in words_present] for words in questions]
        table = np.array([theirs.get_scores(words) if words else np.zeros(len(texts)) for words in words_found])
        index = retrievers.get("bm25", k1=k1, b=b).index(chunks_of(texts))
        scores, ids = index.search([" ".join(words) for words in questions])
        all_scores = index.scores([" ".join(words) for words in questions])
        yield max(float(np.abs(all_scores - table).max()), disorder(scores, ids, table))


class Vectors:
    """An encoder of small whole numbers, whose inner products are exact and often tie: a text is its seed."""

    def encode(self, texts: Sequence[str], kind: str) -> Any:
        rows = [np.random.default_rng(int(text.rpartition(" ")[2])).integers(-2, 3, 6) for text in texts]
        return np.array(rows, np.float32).reshape(-1, 6)

    def identity(self) -> dict[str, Any]:
        return {"model": "whole numbers"}


def dense(draw: random.Random, n: int) -> Differences:
    """The k best of many ties: FAISS's scores, and of equal ones the earliest chunks."""
    import faiss

    for _ in range(n):
        texts = [f"chunk {draw.randrange(40)}" for _ in range(draw.randint(1, 300))]
        questions = [f"query {draw.randrange(1000)}" for _ in range(3)]
        k, encoder = draw.randint(1, 20), Vectors()
        flat = faiss.IndexFlatIP(6)
        flat.add(encoder.encode(texts, "passage"))
        theirs, rows = flat.search(encoder.encode(questions, "query"), len(texts))
        order = [sorted(zip(-scores, ids, strict=True))[:k] for scores, ids in zip(theirs, rows, strict=True)]
        backend = draw.choice(("faiss", "torch"))
        index = retrievers.get("dense", model=encoder, normalize=False, backend=backend).index(chunks_of(texts))
        scores, ids = index.search(questions, k)
        is_same_order = ids.tolist() == [[int(i) for _, i in row] for row in order]
        yield float(np.abs(scores - theirs[:, :k]).max()) if is_same_order else np.inf


COMPARISONS = (
    Comparison("tfidf, random options", "TfidfVectorizer, inner product", "scikit-learn", 1e-6, tfidf),
    Comparison("bm25, random k1 and b", 'BM25(method="lucene")', "bm25s", 1e-5, bm25),
    Comparison("dense, ties, both backends", "IndexFlatIP, ties by position", "faiss-cpu", 0, dense),
)
