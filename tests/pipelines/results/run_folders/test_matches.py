"""Answers in a text, as whole words."""

import random
from itertools import islice, pairwise

import pytest

from longdoc.words import word_spans, words
from pipelines.metrics.shared.gold_spans import merged
from pipelines.results.run_folders import matches as module
from pipelines.results.run_folders.matches import ANSWER_CHARACTERS, GAP, MATCHES, UNINFORMATIVE, matches


def matched_texts(text, *answers):
    """The matches of one example's references as text."""
    return [text[start:end] for start, end in matches(text, [answers])[0]]


@pytest.mark.parametrize(
    ("text", "answers", "expected"),
    [
        ("Rush is a band. The rush hour; crush", ["Rush"], ["Rush", "rush"]),
        ("the Chief,\n of Protocol", ["chief of protocol"], ["Chief,\n of Protocol"]),
        ("chief and much else of protocol", ["chief of protocol"], []),
        ("chief a of protocol", ["chief of protocol"], []),
        ("in 1974, not 19745 or 1 974", ["1974"], ["1974"]),
        ("yes and no", ["yes", "No."], []),
        ("İstanbul, then ISTANBUL and \U0001f3ee lamp", ["istanbul", "lamp"], ["ISTANBUL", "lamp"]),
        ("red red chest", ["red chest", "red"], ["red", "red chest"]),
        ("anything", ["...", ""], []),
        ("a b a b c", ["a b c"], ["a b c"]),
        ("an _emphasized_ word", ["emphasized"], ["emphasized"]),
        ("abc abcd xabc", ["abc"], ["abc"]),
        ("n" * 201, ["n" * 201], []),
    ],
)
def test_answers_are_found_as_whole_words(text, answers, expected):
    assert matched_texts(text, *answers) == expected
    assert matched_texts(f"{'filler ' * 3000}{text}{' filler' * 3000}", *answers) == expected


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("in the cafe\u0301 and the CAFÉ, not the cafe", "café", ["cafe\u0301", "CAFÉ"]),
        ("in the café", "cafe\u0301", ["café"]),
        ("the of\ufb01ce and the offices", "office", ["of\ufb01ce"]),
        ("to co\u00adoperate", "cooperate", ["co\u00adoperate"]),
        ("½ of it, 1 2", "1 2", ["½", "1 2"]),
        ("मुझे हिन्दी में किताब पढ़ना पसंद है", "किताब पढ़ना", ["किताब पढ़ना"]),
        ("मुझे हिन्दी में किताबें", "किताब", []),
        ("ฉันอ่านหนังสือที่บ้าน", "หนังสือ", ["หนังสือ"]),
        ("故宫位于北京市中心，北京很大", "北京", ["北京", "北京"]),
        ("他在东京读书", "北京", []),
        ("私は「図書館」で本を読む", "図書館", ["図書館"]),
    ],
)
def test_answers_are_found_in_any_script(text, answer, expected):
    assert matched_texts(text, answer) == expected


def test_the_matches_of_a_frequent_answer_are_limited():
    text = "cat . dog . " * 900
    assert [len(spans) for spans in matches(text, [["cat"], ["dog", "cat"], ["bird"], ["bird", "cat"]])] == [
        MATCHES, MATCHES, 0, MATCHES
    ]  # fmt: skip
    assert {text[start:end] for start, end in matches(text, [["dog", "cat"]])[0]} == {"dog"}


def plain_search(text, answers):
    """The same rules one after the other: every place of the text, every answer, in their order."""
    spans = list(word_spans(text))
    spans_found = []
    for answer in answers:
        answer_words = words(answer)
        if not answer_words or len(answer) > ANSWER_CHARACTERS or " ".join(answer_words) in UNINFORMATIVE:
            continue
        runs = (spans[n : n + len(answer_words)] for n in range(len(spans) - len(answer_words) + 1))
        equal_runs = (run for run in runs if [word for _, _, word in run] == answer_words)
        close_runs = (run for run in equal_runs if all(b[0] - a[1] <= GAP for a, b in pairwise(run)))
        spans_found += islice(((run[0][0], run[-1][1]) for run in close_runs), MATCHES - len(spans_found))
    return merged(spans_found)


WORDS = ["a", "ab", "abc", "b", "ba", "The", "of", "12", "1", "yes"]
LATIN = (WORDS, [" ", "  ", ", ", ".", "\n", " - ", "    ", "-"])
ACCENTED = (
    [*WORDS, "é", "e\u0301", "É", "ﬁ", "fi", "½", "_a", "İ", "i", "Straße", "a\u00ad"],
    [*LATIN[1], "’", "“"],
)
MIXED = ([*ACCENTED[0], "京", "北", "北京", "हि", "ह", "ก", "กา", "가", "\u1100\u1161", "ΟΣ", "ος"], [*ACCENTED[1], ""])


@pytest.mark.parametrize("alphabet", [LATIN, ACCENTED, MIXED], ids=["latin", "accented", "mixed"])
@pytest.mark.parametrize("limit", [0, 50], ids=["the whole text", "around rare words"])
def test_random_texts_have_the_matches_of_a_plain_search(alphabet, limit, monkeypatch):
    monkeypatch.setattr(module, "MAX_ANSWERS_SEARCHED", limit)
    monkeypatch.setattr("longdoc.words._BLOCK", 50)
    rng = random.Random(0)

    def text(longest):
        return "".join(rng.choice(alphabet[n % 2]) for n in range(rng.randrange(longest)))

    for _ in range(500):
        document = text(120) + "x" * rng.choice((0, 0, 900)) + text(20)
        references = [[text(rng.choice((2, 4, 8))) for _ in range(count)] for count in (1, 0, 2)]
        assert matches(document, references) == [plain_search(document, answers) for answers in references], (
            document,
            references,
        )


def test_a_text_of_many_blocks_has_the_matches_of_a_plain_search(monkeypatch):
    monkeypatch.setattr("longdoc.words._BLOCK", 100)
    text = " ".join(f"In room {i} stands the café’s chest number {i * 37 % 101}." for i in range(300))
    references = [["room 7"], ["chest number 36", "36"], ["the café’s chest"], ["stands"]]
    assert matches(text, references) == [plain_search(text, answers) for answers in references]
