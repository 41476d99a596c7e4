import numpy as np
import pytest

import retrievers
from longdoc.errors import UserError

TEXTS = [
    "The old woman kept three hens behind the house, and the hens kept her.",
    "In winter the river froze; in spring the river rose.",
    "Straße naïve ΣΊΣΥΦΟΣ — „Zitat“ 3.14 don't",
    "hens hens hens hens",
    "a I ?",
    "River river RIVER house.",
]
QUERIES = ["Where are the hens?", "the river in winter", "Σίσυφος naïve", "unknownword", "", "a", "hens hens river"]


def scikit_scores(texts, queries, **options):
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(**options)
    chunks = vectorizer.fit_transform(texts)
    return (vectorizer.transform(queries) @ chunks.T).toarray()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"norm": "l1"},
        {"norm": None},
        {"use_idf": False},
        {"smooth_idf": False},
        {"sublinear_tf": True},
        {"binary": True},
        {"binary": True, "sublinear_tf": True, "norm": None, "smooth_idf": False},
        {"lowercase": False},
        {"strip_accents": "unicode"},
        {"analyzer": "char", "ngram_range": (2, 3)},
        {"analyzer": "char_wb", "ngram_range": (3, 3), "norm": "l1"},
        {"stop_words": "english"},
        {"stop_words": ("hens", "the")},
        {"token_pattern": r"(?u)\b\w+\b"},
        {"ngram_range": (1, 2), "sublinear_tf": True},
        {"max_df": 0.5},
        {"min_df": 2},
        {"max_features": 3, "binary": True},
        {"vocabulary": ("river", "hens", "absent")},
    ],
)
def test_scores_are_scikit_learns_for_every_option(chunks, options):
    theirs = {name: list(value) if name == "stop_words" and not isinstance(value, str) else value
              for name, value in options.items()}  # fmt: skip
    ours = retrievers.get("tfidf", **options).index(chunks(*TEXTS)).scores(QUERIES)
    assert np.abs(ours - scikit_scores(TEXTS, QUERIES, **theirs)).max() < 1e-6
    assert ours.dtype == np.float32 and ours.max() > 0


def test_scores_of_a_long_random_document_are_scikit_learns(chunks):
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(500)]
    texts = [" ".join(rng.choice(words, 60)) for _ in range(200)]
    queries = [" ".join(rng.choice(words, 6)) for _ in range(20)]
    theirs = scikit_scores(texts, queries)
    index = retrievers.get("tfidf").index(chunks(*texts))
    assert np.abs(index.scores(queries) - theirs).max() < 1e-6
    best = np.argsort(-theirs, axis=1, kind="stable")[:, :10]
    _, ids = index.search(queries, 10)
    assert np.allclose(np.take_along_axis(theirs, ids, 1), np.take_along_axis(theirs, best, 1), atol=1e-6)


def test_other_documents_change_nothing(chunks):
    retriever = retrievers.get("tfidf")
    alone = retriever.index(chunks(*TEXTS)).scores(QUERIES)
    retriever.index(chunks("hens", "hens and rivers"))
    assert np.array_equal(retriever.index(chunks(*TEXTS)).scores(QUERIES), alone)


@pytest.mark.parametrize(
    "options", [{}, {"stop_words": "english"}, {"min_df": 5}, {"max_df": 0.1}, {"token_pattern": "xyz"}]
)
def test_chunks_without_a_word_left_score_zero(chunks, options):
    texts = ["a ?", "", "the"] if options else ["a ?", "", "!"]
    scores, ids = retrievers.get("tfidf", **options).index(chunks(*texts)).search(["the", ""])
    assert scores.tolist() == [[0, 0, 0]] * 2 and ids.tolist() == [[0, 1, 2]] * 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("strip_accents", "utf8"),
        ("analyzer", "words"),
        ("stop_words", "german"),
        ("token_pattern", "("),
        ("token_pattern", "(a)(b)"),
        ("ngram_range", (2, 1)),
        ("ngram_range", (0, 1)),
        ("max_df", 1.5),
        ("max_df", 0),
        ("min_df", -0.1),
        ("max_features", 0),
        ("vocabulary", ()),
        ("vocabulary", ("hen", "hen")),
        ("norm", "l3"),
        ("binary", "yes"),
    ],
)
def test_bad_values_are_refused_by_name(field, value):
    with pytest.raises(UserError, match=field):
        retrievers.get("tfidf", **{field: value})


def test_its_options_are_given_in_words(chunks):
    index = retrievers.get("tfidf:ngram_range=[1,2],norm=null").index(chunks("old hen", "hen old"))
    assert index.search(["old hen"])[1].tolist() == [[0, 1]]
    assert index.scores(["old hen"])[0, 0] > index.scores(["old hen"])[0, 1]
