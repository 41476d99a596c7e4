import numpy as np
import pytest

import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe
from tests.turns import for_each

SCIKIT_LEARN = r"(?u)\b\w\w+\b"  # its default token_pattern

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


@for_each(
    "options",
    [
        {},
        {"norm": "l1"},
        {"norm": None},
        {"sublinear_tf": True},
        {"sublinear_tf": True, "norm": None},
        {"lowercase": False},
        {"analyzer": "char", "ngram_range": (2, 3)},
        {"analyzer": "char_wb", "ngram_range": (3, 3), "norm": "l1"},
        {"stop_words": "english"},
        {"stop_words": ("hens", "the")},
        {"token_pattern": r"(?u)\b\w+\b"},
        {"ngram_range": (1, 2), "sublinear_tf": True},
    ],
)
def test_scores_are_those_of_scikit_learn_for_every_option(chunks, options):
    theirs = {name: list(value) if name == "stop_words" and not isinstance(value, str) else value
              for name, value in options.items()}  # fmt: skip
    ours = retrievers.get("tfidf", **{"token_pattern": SCIKIT_LEARN} | options).index(chunks(*TEXTS)).scores(QUERIES)
    assert np.abs(ours - scikit_scores(TEXTS, QUERIES, **theirs)).max() < 1e-6
    assert ours.dtype == np.float32 and ours.max() > 0


def test_scores_of_a_long_random_document_are_those_of_scikit_learn(chunks):
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(500)]
    texts = [" ".join(rng.choice(words, 60)) for _ in range(200)]
    queries = [" ".join(rng.choice(words, 6)) for _ in range(20)]
    theirs = scikit_scores(texts, queries)
    index = retrievers.get("tfidf").index(chunks(*texts))
    assert np.abs(index.scores(queries) - theirs).max() < 1e-6
    same = retrievers.get("tfidf:token_pattern=scikit-learn").index(chunks(*texts))
    assert np.array_equal(same.scores(queries), index.scores(queries))
    best = np.argsort(-theirs, axis=1, kind="stable")[:, :10]
    _, ids = index.search(queries, 10)
    assert np.allclose(np.take_along_axis(theirs, ids, 1), np.take_along_axis(theirs, best, 1), atol=1e-6)


def test_the_pattern_of_scikit_learn_has_a_name(chunks):
    named = retrievers.get("tfidf:token_pattern=scikit-learn")
    assert named == retrievers.get("tfidf", token_pattern=SCIKIT_LEARN)
    assert describe(named) == describe(retrievers.get("tfidf")) | {"token_pattern": SCIKIT_LEARN}
    texts = [*TEXTS, "snake_case हिन्दी", "snake हिन ½"]
    queries = [*QUERIES, "snake_case", "हिन्दी"]
    assert np.abs(named.index(chunks(*texts)).scores(queries) - scikit_scores(texts, queries)).max() < 1e-6


def test_by_default_words_are_those_of_any_script(chunks):
    texts = ["मैं हिन्दी पढ़ता हूँ", "मैं बंगाली पढ़ता हूँ", "机器学习很有趣", "学生学机器", "un cafe\u0301 noir", "CAFÉ"]
    _, ids = (
        retrievers.get("tfidf").index(chunks(*texts)).search(["हिन्दी", "बंगाली", "机器学习", "noir café", "ｃａｆé"], 1)
    )
    assert ids[:, 0].tolist() == [0, 1, 2, 4, 5]


def test_the_words_are_the_same_where_the_vectorizer_itself_counts(chunks):
    texts = [*TEXTS, "मैं हिन्दी पढ़ता हूँ", "机器学习 中", "cafe\u0301 snake_case"]
    queries = [*QUERIES, "हिन्दी", "机器", "中", "café", "case"]
    plain = retrievers.get("tfidf").index(chunks(*texts)).scores(queries)
    by_vectorizer = retrievers.get("tfidf", stop_words=("absent",)).index(chunks(*texts)).scores(queries)
    assert np.abs(plain - by_vectorizer).max() < 1e-6 and (plain[-5:].max(axis=1) > 0).all()


def test_lowercase_false_needs_a_pattern_or_another_analyzer(chunks):
    with pytest.raises(UserError, match="lowercase must be true where token_pattern is null"):
        retrievers.get("tfidf:lowercase=false")
    by_letters = retrievers.get("tfidf:lowercase=false,analyzer=char").index(chunks("A", "a"))
    assert by_letters.scores(["a"]).tolist() == [[0, 1]]


def test_other_documents_change_nothing(chunks):
    retriever = retrievers.get("tfidf")
    alone = retriever.index(chunks(*TEXTS)).scores(QUERIES)
    retriever.index(chunks("hens", "hens and rivers"))
    assert np.array_equal(retriever.index(chunks(*TEXTS)).scores(QUERIES), alone)


@pytest.mark.parametrize("options", [{}, {"stop_words": "english"}, {"token_pattern": "xyz"}])
def test_chunks_without_a_word_left_score_zero(chunks, options):
    texts = ["a ?", "", "the"] if options else ["a ?", "", "!"]
    scores, ids = retrievers.get("tfidf", **options).index(chunks(*texts)).search(["the", ""])
    assert scores.tolist() == [[0, 0, 0]] * 2 and ids.tolist() == [[0, 1, 2]] * 2


@for_each(
    ("field", "value"),
    [
        ("analyzer", "words"),
        ("stop_words", "german"),
        ("token_pattern", "("),
        ("token_pattern", "(a)(b)"),
        ("ngram_range", (2, 1)),
        ("ngram_range", (0, 1)),
        ("norm", "l3"),
        ("sublinear_tf", "yes"),
    ],
)
def test_wrong_fields_are_refused_by_name(field, value):
    with pytest.raises(UserError, match=field):
        retrievers.get("tfidf", **{field: value})


def test_its_options_can_be_given_in_a_spec(chunks):
    index = retrievers.get("tfidf:ngram_range=[1,2],norm=null").index(chunks("old hen", "hen old"))
    assert index.search(["old hen"])[1].tolist() == [[0, 1]]
    assert index.scores(["old hen"])[0, 0] > index.scores(["old hen"])[0, 1]
