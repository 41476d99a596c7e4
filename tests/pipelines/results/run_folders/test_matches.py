"""Answers in a text, as whole words."""

import pytest

from pipelines.results.run_folders.matches import lowered, matches


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
    assert [text[start:end] for start, end in matches(lowered(text), answers)] == found


def test_lower_case_keeps_every_position():
    text = "İSTANBUL straße ǅ \U00010400"
    assert len(lowered(text)) == len(text)


def test_the_matches_of_a_frequent_answer_are_limited():
    assert len(matches("cat . " * 900, ["cat"])) == 200
