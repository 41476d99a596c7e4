import pytest

from longdoc.errors import UserError
from pipelines.metrics import get


def is_right(prediction: str, *references: str) -> bool:
    scores = get("choice_infinitebench").score([prediction], [references])
    assert scores["choice_infinitebench"] in (0, 100)
    return bool(scores["choice_infinitebench"])


@pytest.mark.parametrize("prediction", ["C", " C", "C. a gull", "\nCall it a ship", "C or D"])
def test_an_output_that_starts_with_a_capital_a_to_d_chooses_that(prediction: str) -> None:
    assert is_right(prediction, "a ship", "C")


@pytest.mark.parametrize("prediction", ["Dunno, C", "All of them: C", "B. a ship", "Because it is a ship"])
def test_another_first_letter_is_wrong_whatever_follows(prediction: str) -> None:
    assert not is_right(prediction, "a ship", "C")


def test_the_right_option_s_text_alone_is_right_in_its_own_case_only() -> None:
    assert is_right("  a ship\n", "a ship", "C")
    assert not is_right("the ship", "a ship", "C")
    assert not is_right("a SHIP", "a ship", "C")
    assert not is_right("a ship of theirs", "a ship", "C")


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        ("The answer is: C", True),
        ("The answer is C.", True),
        ("I think option is a ship", True),
        ("The answer is a ship of theirs", True),
        ("The answer is the ship", False),
        ("The answer is B, not C", False),
        ("The Answer is c; C", True),  # no prefix in this case: rule 5
        ("The answer isC", False),  # one character is left out, whatever it is
        ("The answer is", False),
        ("My answer: B. No, the answer is: C", True),  # the first prefix of the list, not of the output
        ("My answer is C; the answer is B", True),
    ],
)
def test_the_words_after_a_prefix_decide(prediction: str, expected: bool) -> None:
    assert is_right(prediction, "a ship", "C") is expected


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [("It is C", True), ("It is (C)", False), ("It is BC or C", False), ("It is 'C'!", True), ("c", False)],
)
def test_else_the_first_word_that_is_part_of_abcd(prediction: str, expected: bool) -> None:
    assert is_right(prediction, "a ship", "C") is expected


def test_options_that_contain_each_other_are_told_apart_by_nothing_but_their_start() -> None:
    assert is_right("The answer is a ship's boat", "a ship", "A")
    assert not is_right("The answer is a ship", "a ship's boat", "B")


@pytest.mark.parametrize("prediction", ["", "  \n", "none of these", "it is c"])
def test_nothing_chosen_is_wrong(prediction: str) -> None:
    assert not is_right(prediction, "a ship", "C")


def test_references_without_a_letter_are_refused() -> None:
    with pytest.raises(UserError, match=r"example 0: one of the references must be a letter A, B, C or D.*'a ship'"):
        is_right("A", "a ship")


def test_the_score_is_the_share_of_examples() -> None:
    scores = get("choice_infinitebench").score(["A", "it is B", "C"], [["x", "A"], ["y", "B"], ["z", "D"]])
    assert scores == pytest.approx({"choice_infinitebench": 200 / 3})
