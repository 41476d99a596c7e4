"""Few short texts in place of all outputs are reported, unless the task has few answers."""

from collections.abc import Sequence

from pipelines.results.few_answers import Overuse, ShortAnswer, overuse


def answers(outputs: Sequence[str], references: Sequence[str]) -> list[ShortAnswer]:
    return [ShortAnswer(output, (reference,)) for output, reference in zip(outputs, references, strict=True)]


def names(count: int) -> list[str]:
    return [f"name {number}" for number in range(count)]


def test_one_to_three_texts_in_place_of_open_answers_are_reported() -> None:
    references = ["yes", "no", "yes", *names(37)]
    assert overuse(answers(["yes"] * 40, references)) == Overuse(("yes",), 40, 2, 40)
    assert overuse(answers(["yes"] * 30 + ["no"] * 10, references)) == Overuse(("yes", "no"), 40, 3, 40)
    three = ["yes"] * 16 + ["no"] * 10 + ["unanswerable"] * 7 + names(7)
    assert overuse(answers(three, references)) == Overuse(("yes", "no", "unanswerable"), 33, 3, 40)


def test_a_text_that_comes_once_is_not_named() -> None:
    assert overuse(answers(["yes"] * 39 + ["no"], names(40))) == Overuse(("yes",), 39, 0, 40)


def test_a_task_whose_answers_are_yes_and_no_is_not_reported() -> None:
    references = ["yes"] * 21 + ["no"] * 19
    for outputs in (references, ["no"] * 21 + ["yes"] * 19, ["yes"] * 30 + ["no"] * 10):
        assert overuse(answers(outputs, references)) is None


def test_texts_that_most_references_are_too_are_not_reported() -> None:
    references = ["yes"] * 14 + ["no"] * 12 + names(14)
    assert overuse(answers(["yes"] * 22 + ["no"] * 18, references)) is None


def test_a_letter_or_label_much_more_often_than_among_the_references_is_reported() -> None:
    letters = ["b"] * 13 + ["a", "c", "d"] * 2 + ["a"]
    assert overuse(answers(letters, ["a", "b", "c", "d"] * 5)) == Overuse(("b",), 13, 5, 20)
    labels = ["not mentioned"] * 15 + ["entailment"]
    references = ["entailment"] * 8 + ["not mentioned"] * 8
    assert overuse(answers(labels, references)) == Overuse(("not mentioned",), 15, 8, 16)


def test_a_label_that_is_common_may_be_given_more_often() -> None:
    references = ["hero"] * 12 + ["villain"] * 8
    assert overuse(answers(["hero"] * 17 + ["villain"] * 3, references)) is None
    assert overuse(answers(["a"] * 9 + ["b", "c", "d"] * 4, ["a", "b", "c", "d"] * 5 + ["a"])) is None


def test_letters_of_options_whose_references_are_texts_are_not_reported_unless_one_takes_all() -> None:
    assert overuse(answers(["a", "b", "c", "d"] * 10, names(40))) is None
    assert overuse(answers(["b"] * 34 + ["c"] * 6, names(40))) == Overuse(("b",), 34, 0, 40)


def test_letters_beside_the_texts_of_options_are_a_closed_set() -> None:
    rows = [ShortAnswer("b", (text, letter)) for text, letter in zip(names(20), "abcd" * 5, strict=True)]
    assert overuse(rows) == Overuse(("b",), 20, 5, 20)


def test_long_outputs_and_fewer_than_ten_are_not_reported() -> None:
    assert overuse(answers([""] * 40, names(40))) is None
    assert overuse(answers(["yes"] * 9, names(9))) is None
    assert overuse(answers(["yes"] * 10, names(10))) == Overuse(("yes",), 10, 0, 10)
