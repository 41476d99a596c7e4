"""Multiple choice by similarity to the passages."""

import math

from models import Generate, Part, Prompt
from models.baselines.choices import Choices

STORY = "The captain hid the map under the lamp. The cook ate soup. Later the cook burned the letter at sea."
OPTIONS = "(A) in the soup\n(B) under the lamp\n(C) at sea\n(D) with the cook"


def prompt(query: str, listed: str = "", instruction: str = "", story: str = STORY) -> Prompt:
    parts = [Part("instruction", instruction), Part("query", query), Part("text", "\n"), Part("options", listed)]
    return Prompt((*(part for part in parts if part.text), Part("document", story, 0, len(story))))


def answers(reader: Choices, prompt: Prompt, n: int = 1) -> object:
    return reader.reply([Generate(prompt, 20, n=n)])[0].value


def test_the_option_whose_words_stand_next_to_the_question_wins() -> None:
    assert answers(Choices(), prompt("Where was the map hid?", OPTIONS)) == "under the lamp"
    assert answers(Choices(), prompt("Where was the letter burned?", OPTIONS)) == "at sea"


def test_the_answer_is_a_letter_where_the_prompt_or_the_reader_asks_for_one() -> None:
    query = f"Where was the map hid?\n{OPTIONS}"
    assert answers(Choices(), prompt(query, instruction="Write the letter of the best answer. ")) == "B"
    assert answers(Choices(), prompt(query)) == "under the lamp"
    assert answers(Choices("letter"), prompt(query)) == "B"
    assert answers(Choices("text"), prompt(query, instruction="Write its letter. ")) == "under the lamp"


def test_n_answers_come_best_first_and_equal_ones_as_listed() -> None:
    assert answers(Choices(), prompt("Where was the map hid?", OPTIONS), 2) == (
        "under the lamp",
        "in the soup",
    )
    assert answers(Choices("letter"), prompt("Who?", "(A) x\n(B) y\n(C) z"), 3) == ("A", "B", "C")


def test_a_window_is_as_wide_as_the_words_and_rare_words_count_more() -> None:
    from models.baselines.choices import _best_window

    stems = ["a", "x", "b", "a", "b"]
    weights = {"a": math.log(1 + 1 / 2), "b": math.log(1 + 1 / 2)}
    assert _best_window(stems, weights, 2) == 2 * math.log(1.5)
    assert _best_window(stems, weights, 1) == math.log(1.5)
    assert _best_window(stems, weights, 5) == 4 * math.log(1.5)


def test_without_options_the_answer_is_empty() -> None:
    assert answers(Choices(), prompt("Where?")) == ""
