"""Parts of documents in a page: each text once, positions in code points, answers as whole words."""

import pytest

from pipelines.reports._excerpts import CONTEXT, excerpts, lowered, occurrences


def test_windows_that_touch_are_one_and_no_text_is_there_twice():
    text = "".join(chr(0x4E00 + n) for n in range(5000))
    found = excerpts(text, [(1000, 1100), (1500, 1600), (4000, 4100)])
    assert [(start, len(part)) for start, part in found] == [(700, 1200), (3700, 700)]
    assert all(text[start : start + len(part)] == part for start, part in found)


def test_windows_end_where_the_document_does():
    assert excerpts("short", [(1, 3)]) == [(0, "short")]
    assert CONTEXT == 300


def test_a_surrogate_alone_becomes_one_other_sign():
    assert excerpts("a\ud83dbc", [(0, 3)]) == [(0, "a\ufffdbc")]


@pytest.mark.parametrize(
    ("text", "answers", "found"),
    [
        ("Rush is a band. The rush hour; crush", ["Rush"], ["Rush", "rush"]),
        ("the Chief,\n of Protocol", ["chief of protocol"], ["Chief,\n of Protocol"]),
        ("chief and much else of protocol", ["chief of protocol"], []),
        ("in 1974, not 19745 or 1 974", ["1974"], ["1974"]),
        ("yes and no", ["yes", "No."], []),
        ("İstanbul, then ISTANBUL and \U0001f3ee lamp", ["istanbul", "lamp"], ["ISTANBUL", "lamp"]),
        ("red red chest", ["red chest", "red"], ["red", "red chest"]),
        ("anything", ["...", ""], []),
        ("a b a b c", ["a b c"], ["a b c"]),
    ],
)
def test_answers_are_found_as_whole_words(text, answers, found):
    assert [text[start:end] for start, end in occurrences(lowered(text), answers)] == found


def test_lower_case_keeps_every_position():
    text = "İSTANBUL straße ǅ \U00010400"
    assert len(lowered(text)) == len(text)


def test_a_frequent_answer_is_marked_so_often_and_no_more():
    assert len(occurrences("cat . " * 900, ["cat"])) == 200
