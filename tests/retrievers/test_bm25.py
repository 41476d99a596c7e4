from math import log

import numpy as np
import pytest

import retrievers
from longdoc.errors import UserError


def test_a_score_is_idf_times_saturated_frequency(chunks):
    index = retrievers.get("bm25").index(chunks("hen hen fox", "fox", "owl owl owl owl"))
    mean = 8 / 3
    idf = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    hens = idf * 2 / (2 + 1.2 * (0.25 + 0.75 * 3 / mean))
    owls = idf * 4 / (4 + 1.2 * (0.25 + 0.75 * 4 / mean))
    assert index.scores(["hen", "the owl"]) == pytest.approx(np.array([[hens, 0, 0], [0, 0, owls]]), abs=1e-6)


def test_a_word_twice_in_the_query_counts_twice(chunks):
    index = retrievers.get("bm25").index(chunks("hen", "fox fox"))
    assert np.allclose(index.scores(["hen hen fox"]), 2 * index.scores(["hen"]) + index.scores(["fox"]))


def test_a_word_of_every_chunk_still_has_a_positive_score(chunks):
    assert (retrievers.get("bm25").index(chunks("hen", "hen")).scores(["hen"]) > 0).all()


def test_k1_zero_counts_presence_and_b_zero_ignores_length(chunks):
    presence = retrievers.get("bm25", k1=0.0).index(chunks("hen hen", "hen fox fox fox", "owl")).scores(["hen"])
    assert presence[0, 0] == presence[0, 1] == pytest.approx(log(1 + 1.5 / 2.5))
    flat = retrievers.get("bm25", b=0.0).index(chunks("hen", "hen fox fox fox", "owl")).scores(["hen"])
    assert flat[0, 0] == flat[0, 1]


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.0, 1.0)])
def test_scores_are_those_of_bm25s(chunks, k1, b):
    bm25s = pytest.importorskip("bm25s")
    rng = np.random.default_rng(0)
    words = np.array([f"w{n}" for n in range(300)])
    share = 1 / np.arange(1, 301)
    texts = [" ".join(rng.choice(words, rng.integers(5, 80), p=share / share.sum())) for _ in range(100)]
    queries = [" ".join(rng.choice(words, 6)) for _ in range(20)]
    theirs = bm25s.BM25(method="lucene", k1=k1, b=b)
    theirs.index([text.split() for text in texts], show_progress=False)
    words_of_texts = set(" ".join(texts).split())
    expected = [theirs.get_scores([word for word in query.split() if word in words_of_texts]) for query in queries]
    ours = retrievers.get("bm25", k1=k1, b=b).index(chunks(*texts)).scores(queries)
    assert np.abs(ours - np.array(expected)).max() < 1e-5


@pytest.mark.parametrize(
    "texts", [["hen", "", "", "hen fox", "", ""], ["", "", "", "", "owl"], ["?", "hen", "fox", "!"]]
)
def test_scores_are_those_of_bm25s_where_the_mean_chunk_has_less_than_a_word(chunks, texts):
    bm25s = pytest.importorskip("bm25s")
    theirs = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    theirs.index([text.strip("?!").split() for text in texts], show_progress=False)
    words = [word for word in ("hen", "fox", "owl") if word in " ".join(texts)]
    expected = np.array([theirs.get_scores([word]) for word in words])
    ours = retrievers.get("bm25").index(chunks(*texts)).scores(words)
    assert expected.any() and np.abs(ours - expected).max() < 1e-6


def test_lengths_count_against_the_true_mean_however_short_the_chunks_are(chunks):
    scores = retrievers.get("bm25").index(chunks("hen hen", "hen", "", "", "", "", "", "")).scores(["hen"])
    idf, mean = log(1 + (8 - 2 + 0.5) / (2 + 0.5)), 3 / 8
    expected = [idf * n / (n + 1.2 * (0.25 + 0.75 * n / mean)) for n in (2, 1)] + [0] * 6
    assert scores[0] == pytest.approx(expected, abs=1e-6)


def test_chunks_without_any_word_score_zero(chunks):
    assert retrievers.get("bm25").index(chunks("", "?", "a")).scores(["hen"]).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("fields", [{"k1": -0.1}, {"k1": float("nan")}, {"k1": float("inf")}, {"b": 1.1}, {"b": -1.0}])
def test_parameters_out_of_range_are_refused_by_name(fields):
    with pytest.raises(UserError, match=next(iter(fields))):
        retrievers.get("bm25", **fields)


def test_stop_words_count_neither_in_queries_nor_in_lengths(chunks):
    plain = retrievers.get("bm25").index(chunks("hen fox", "hen", "owl owl"))
    stopped = retrievers.get("bm25", stop_words="english").index(chunks("The hen and the fox", "A hen", "is owl owl?"))
    assert np.array_equal(stopped.scores(["Where is the hen?"]), plain.scores(["hen"]))
    assert np.array_equal(stopped.centroid_scores(), plain.centroid_scores())


def test_a_query_of_only_stop_words_is_ranked_by_them(chunks):
    texts = chunks("The hen and the fox", "Who is it?", "owl")
    stopped = retrievers.get("bm25", stop_words="english").index(texts)
    expected = retrievers.get("bm25").index(texts).scores(["Who is it?", "the hen"])
    assert np.array_equal(stopped.scores(["Who is it?"])[0], expected[0])
    assert stopped.search(["hen", "Who is it?", "", "zyxwvu is it"], 1)[1].tolist() == [[0], [1], [0], [0]]


def test_stop_words_can_be_a_list_whatever_the_capitals(chunks):
    index = retrievers.get("bm25:stop_words=[Hen,don't]").index(chunks("hen", "Don fox", "t"))
    assert index.scores(["hen fox", "the don fox"]).tolist() == [[0, pytest.approx(log(1 + 2.5 / 1.5) / 4), 0]] * 2


def test_words_with_the_same_stem_count_as_one_word(chunks):
    texts = chunks("Hens were running", "He runs, she ran", "foxes")
    stems = retrievers.get("bm25", stem="english").index(texts)
    assert (stems.scores(["run", "fox", "hen"]) > 0).tolist() == [[1, 1, 0], [0, 0, 1], [1, 0, 0]]
    twice = retrievers.get("bm25", stem="english").index(chunks("run runs", "run hen", "hen"))
    same = retrievers.get("bm25").index(chunks("run run", "run hen", "hen"))
    assert np.array_equal(twice.scores(["running runs"]), same.scores(["run run"]))


def test_german_stems_and_letters_of_scripts_without_spaces(chunks):
    german = retrievers.get("bm25", stem="german").index(chunks("Die Häuser", "Der Hund", "東京都"))
    assert (german.scores(["Haus", "Hunde", "京都"]) > 0).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_stop_words_are_found_before_words_are_stemmed(chunks):
    index = retrievers.get("bm25", stop_words="english", stem="english").index(chunks("doe", "does", "it does"))
    assert (index.scores(["doe", "does"]) > 0).tolist() == [[1, 0, 0], [1, 1, 1]]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"stop_words": "englisch"}, "stop_words must be .*'english'.*, got 'englisch'"),
        ({"stem": "englisch"}, "unknown bm25: stem 'englisch'; did you mean english"),
    ],
)
def test_unknown_lists_of_stop_words_and_stemmers_are_refused(fields, message):
    with pytest.raises(UserError, match=message):
        retrievers.get("bm25", **fields)


@pytest.mark.parametrize("name", ["bm25", "tfidf", "tfidf:ngram_range=[1,2]", "bm25:stem=arabic"])
def test_vowel_points_make_no_difference_in_questions_and_texts(chunks, name):
    bare, pointed = ["كتب المدرس رسالة", "שלום עולם", "owl"], ["كَتَبَ المُدَرِّسُ رِسَالَةً", "שָׁלוֹם עוֹלָם", "owl"]
    bare_scores = retrievers.get(name).index(chunks(*bare)).scores([*bare, *pointed])
    pointed_scores = retrievers.get(name).index(chunks(*pointed)).scores([*bare, *pointed])
    assert np.array_equal(bare_scores, pointed_scores) and np.array_equal(bare_scores[:3], bare_scores[3:])
    assert bare_scores.argmax(axis=1).tolist() == [0, 1, 2] * 2 and (bare_scores.max(axis=1) > 0).all()
