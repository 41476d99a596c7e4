import re
from itertools import pairwise

import numpy as np
import pytest

from longdoc.words import words
from retrievers.shared.counts import SCIKIT_LEARN_WORDS, TERMS, Counts

TEXTS = [
    "The cat, the CAT — and a dog.",
    "a b c",
    "don't stop_words 3.14 v2 x",
    "Ça va? Straße ΣΊΣΥΦΟΣ İstanbul ﬁne naïve",
    "„Zitat“ … 東京タワー ab\u200bcd é\u0301 x²",
    "\x00tab\tnew\nline\x1funit\x85nel\u2028sep",
    "lone \ud800surrogate half\ud83d",
    "",
]


def scikit_learn_words(text):
    return re.findall(r"(?u)\b\w\w+\b", text.lower())


@pytest.mark.parametrize("text", TEXTS)
def test_words_are_those_of_scikit_learn_s_pattern(text):
    assert SCIKIT_LEARN_WORDS(text) == scikit_learn_words(text)


def test_every_code_point_is_split_as_the_pattern_splits_it():
    every = [chr(code) for code in range(0x110000)]
    text = "".join(f"{a}q{b} " for a, b in pairwise(every))
    assert SCIKIT_LEARN_WORDS(text) == scikit_learn_words(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The cat, the CAT — and a dog, v2 x 3.14",
            ["the", "cat", "the", "cat", "and", "dog", "v2", "3", "14", "3.14"],
        ),
        ("I ate a pie; é Я 7", ["ate", "pie", "7"]),
        ("7.3 is not 4.2.1.", ["7", "3", "7.3", "is", "not", "4", "2", "1", "4.2.1"]),
        ("on 2031-05-01, § 12(3)(a)", ["on", "2031", "05", "01", "2031-05-01", "12", "3", "12(3)(a"]),
        ("CVE-2026-1234 in v2.0", ["cve", "2026", "1234", "cve-2026-1234", "in", "v2", "0", "v2.0"]),
        ("1,250.00 or 3, 4; 70/1", ["1", "250", "00", "1,250.00", "or", "3", "4", "70", "1", "70/1"]),
        ("the end.5 well-known and/or f(x)", ["the", "end", "5", "well", "known", "and", "or"]),
        ("x(a)(b), (a)(4)", ["4", "a)(4"]),
        ("A-7, K-9(b)", ["7", "a-7", "9", "k-9(b"]),
        ("第7.3条 ٣.٢", ["第", "7", "3", "7.3", "条", "٣", "٢", "٣.٢"]),
        ("cafe\u0301 CAFÉ cafe", ["café", "cafe", "café", "cafe", "cafe"]),
        ("İstanbul naïve Łódź ёж", ["i̇stanbul", "istanbul", "naïve", "naive", "łódź", "lodz", "ёж", "еж"]),
        ("हिन्दी में किताब", ["हिन्दी", "में", "किताब"]),
        ("东京 中 AI", ["东京", "中", "ai"]),
        ("물 집", ["물", "집"]),
        ("snake_case", ["snake", "case"]),
    ],
)
def test_by_default_words_are_those_of_any_script_except_single_letters_of_scripts_with_capitals(text, expected):
    assert TERMS(text) == expected
    counts = Counts.of([text])
    distinct = list(dict.fromkeys(expected))
    rows = counts.rows([*distinct, "absent"]).tolist()
    assert (len(set(rows)), rows.count(-1)) == (len(distinct) + 1, 1)
    assert counts.matrix.toarray()[rows[:-1], 0].tolist() == [expected.count(word) for word in distinct]


def test_a_number_at_the_start_of_a_line_counts_as_a_word_of_its_own():
    texts = ["As section 4.3 says.", "# 4.3 Roofs", "1.2 Walls\n 4.3 Doors", "See 4.3."]
    counts = Counts.of(texts)
    assert [row.sum() for row in counts(["section 4.3?"]).toarray()[counts.rows(["\n4.3"])]] == [1]
    assert counts.matrix.toarray()[counts.rows(["\n4.3"])].tolist() == [[0, 1, 1, 0]]
    assert counts.matrix.toarray()[counts.rows(["4.3"])].tolist() == [[1, 1, 1, 1]]


def test_in_plain_english_both_rules_find_the_same_words():
    text = "Don't stop! It's o'clock, e.g. at 15 p.m.\tin room B 12\x1f(2nd floor)\x00; $ 99 for A or BB?"
    assert TERMS(text) == SCIKIT_LEARN_WORDS(text) == [word for word in words(text) if len(word) > 1]


def test_counts_are_by_chunk_and_word():
    counts = Counts.of(TEXTS, SCIKIT_LEARN_WORDS)
    table = counts.matrix.toarray().T
    for row, text in zip(table, TEXTS, strict=True):
        words = scikit_learn_words(text)
        assert row.sum() == len(words)
        assert row[counts.rows(words)].tolist() == [words.count(word) for word in words]


def test_other_texts_are_counted_in_known_words_only():
    counts = Counts.of(["cat dog", "cat"])
    assert counts(["dog dog bird a", "", "CAT!"]).toarray().T.tolist() == [[0, 2], [0, 0], [1, 0]]


def test_single_characters_are_not_words():
    counts = Counts.of(["a cat", "a"])
    assert counts.matrix.toarray().tolist() == [[1, 0]] and counts.rows(["cat", "a"]).tolist() == [0, -1]
    assert counts(["a a cat"]).sum() == 1


def test_no_texts_and_no_words_have_no_counts():
    assert Counts.of([]).matrix.shape == (0, 0)
    assert Counts.of(["!", ""]).matrix.shape == (0, 2)
    assert Counts.of(["a"])(["word", "a"]).shape == (0, 2)


def test_scikit_learn_counts_alike():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    vectorizer = text.CountVectorizer()
    theirs = vectorizer.fit_transform(TEXTS).toarray()
    ours = Counts.of(TEXTS, SCIKIT_LEARN_WORDS)
    order = ours.rows(vectorizer.get_feature_names_out())
    assert np.array_equal(ours.matrix.toarray()[order].T, theirs)
