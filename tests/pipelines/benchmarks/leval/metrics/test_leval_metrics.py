"""L-Eval's rules for finding the answer in an output, with their quirks."""

from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.metrics import get
from pipelines.records import Document, Example
from tests.turns import for_each


def score(name: str, prediction: str, *references: str) -> float:
    return next(iter(get(name).score([prediction], [references]).values()))


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("B. The gull", "B", 100),
        ("(B)", "(B) The gull was asleep", 100),
        ("Based on the text, the answer is C.", "C", 0),
        ("Based on the text, the answer is C.", "B", 100),
        ("it cannot be said", "A", 100),
        ("", "A", 0),
        (" \n", "A", 0),
        ("AB", "A", 0),
        ("AC", "A", 100),
        ("A", "Anna", 100),
        ("A", "the answer is D", 100),
        ("it cannot be said", "D", 0),
        ("As an AI language model", "A", 100),
    ],
)
def test_the_first_letter_is_the_choice_or_else_the_first_option_is(
    prediction: str, reference: str, expected: float
) -> None:
    assert score("choice_leval", prediction, reference) == expected


@for_each(
    ("prediction", "reference", "expected"),
    [
        ("ABC", "ABC", 100),
        ("CBA", "ABC", 100),
        ("CDD", "CD", 100),
        ("AC", "ABC", 25),
        ("A", "ABC", 25),
        ("ABCD", "ABC", 0),
        ("AD", "ABC", 0),
        ("BC", "CB", 25),
        ("A. Customers come back\nB. Builders build\nC. Data", "ABC", 100),
        ("A and C. Not D", "AC", 100),
        ("B) and (C)", "BC", 100),
        ("A, B, C", "ABC", 25),
        ("A. CAST", "A", 100),
        ("A. NASA is", "A", 100),
        ("It is D", "D", 100),
        ("It is DC", "CD", 25),
        ("It is BB", "B", 25),
        ("C.\nQuestion 2\nD.", "C", 100),
        ("Question 1\nD.", "D", 0),
        ("none of them", "AC", 25),
        ("none of them", "BC", 0),
        ("", "AC", 0),
    ],
)
def test_several_letters_stand_before_a_space_a_full_stop_or_a_bracket(
    prediction: str, reference: str, expected: float
) -> None:
    assert score("choices_leval", prediction, reference) == expected


@pytest.mark.parametrize("name", ["choice_leval", "choices_leval"])
def test_a_reference_without_a_letter_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="example 0: the reference 'a gull' has none of the letters A to D"):
        score(name, "A", "a gull")


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("2 and 3 make 5. The answer is 5.", "5", 100),
        ("The answer is $1,200.00.\n\nQuestion: 7?", "1200", 100),
        ("It costs 12 dollars, 3 less.\n\nThen 99.", "3", 100),
        ("It costs 12 dollars, 3 less.\n\nThen 99.", "99", 0),
        ("The answer is unknown, of 4", "4", 0),
        ("The answer is 4.5", "#### 4", 100),
        ("It is 12\n3 altogether", "123", 100),
        ("\n\nIt is 4", "4", 0),
        ("The answer is 018", "18", 100),
        ("no idea", "4", 0),
        ("", "0", 0),
    ],
)
def test_the_number_is_behind_the_phrase_or_the_last_of_the_paragraph(
    prediction: str, reference: str, expected: float
) -> None:
    assert score("number_leval", prediction, reference) == expected


def test_a_reference_without_a_number_is_refused() -> None:
    with pytest.raises(UserError, match="has no digit"):
        score("number_leval", "4", "four")


@for_each(
    ("prediction", "reference", "expected"),
    [
        ("The program prints [1, 2].", "[1, 2]", 100),
        ("It prints [1, 2] in the end, then it stops", "[1, 2]", 0),
        ("It prints [1, 2] at the end", "[1, 2]", 100),
        ("It prints 1, 2] at the end", "[1, 2]", 0),
        ("It prints ['a', 'b']", "[a, b]", 100),
        ("It prints 3.0", "3", 100),
        ("It prints 12", "2", 100),
        ("12", "2", 0),
        ("the final output is 7, as we saw before, because 8 was never reached", "7", 100),
        ("the final output is 7, as we saw before, because 8 was never reached", "8", 0),
        ("the final output of the code will be 7 and so on and on and on and on", "7", 100),
        ("", "2", 0),
        ("anything", "...", 0),
        ("", "[]", 100),
        ("", "BC", 25),
    ],
)
def test_code_s_result_stands_behind_the_final_output_or_in_the_last_words(
    prediction: str, reference: str, expected: float
) -> None:
    assert score("code_leval", prediction, reference) == expected


def topic(number: int, query: str, prediction: str) -> Any:
    return get("topic_leval").statistics(prediction, Example(str(number), Document("", ""), query, ("Art of gulls",)))


def test_topics_are_averaged_over_first_second_and_third() -> None:
    rows = [
        topic(1, "What is the first topic?", 'It was "The ART of Gulls".'),
        topic(2, "What is the first topic?", "gulls"),
        topic(3, "What is the second topic?", "art of gulls"),
        topic(4, "What is the third topic?", ""),
    ]
    assert get("topic_leval").aggregate(rows) == {
        "topic_leval": 50.0, "topic_first": 50.0, "topic_second": 100.0, "topic_third": 0.0,
    }  # fmt: skip
    assert get("topic_leval").aggregate(rows[:3]) == {"topic_leval": 75.0, "topic_first": 50.0, "topic_second": 100.0}
    assert get("topic_leval").aggregate([topic(1, "Which topic?", "art of gulls")]) == {"topic_leval": 100.0}
    assert get("topic_leval").aggregate([]) == {}


def test_a_topic_is_contained_without_its_spaces_but_not_across_lines() -> None:
    assert score("topic_leval", "The ArtOfGulls", "art of gulls") == 100
    assert score("topic_leval", "The art of\ngulls", "art of gulls") == 0


@pytest.mark.parametrize(
    ("prediction", "story", "fact"),
    [
        ("True [fact: False]", 100, 100),
        ("true, in the story. [FACT: it is false.]", 100, 100),
        ("Untrue [fact: falsehood]", 100, 100),
        ("True or False [fact: False or True]", 100, 100),
        ("True [fact: False", 100, 0),
        ("True. Fact: False.", 100, 0),
        ("False [fact: False]", 0, 100),
        ("True", 100, 0),
        ("[fact: False] True", 0, 100),
        ("", 0, 0),
    ],
)
def test_story_and_fact_are_two_answers(prediction: str, story: float, fact: float) -> None:
    scores = get("truth_leval").score([prediction], [["True [fact: False]"]])
    assert scores == {"truth_leval": (story + fact) / 2, "truth_story": story, "truth_fact": fact}


def test_a_reference_that_does_not_say_both_is_refused() -> None:
    with pytest.raises(UserError, match="must say true or false twice"):
        score("truth_leval", "True", "True")
