"""How readers without weights treat headings and marks of gaps."""

import pytest

import models
from models.prompts import GAP, Part, Prompt
from models.requests import Generate

PASSAGES = (
    Part(
        "document", "He was the drummer of a band from Toronto.", 11, 53, title="Neil Peart", heading=(0, 10), gap=False
    ),
    Part("document", "He died in California in 2020.", 90, 120, title="Neil Peart", heading=(0, 10), gap=True),
)


def answer(name: str, query: str = "") -> str:
    prompt = Prompt((*PASSAGES, Part("text", "\n\n"), Part("query", query)))
    (reply,) = models.get(name).reply([Generate(prompt, 30)])
    return str(reply.value)


def test_an_answer_may_be_a_heading() -> None:
    assert answer("extractive", "Who was the drummer of a band from Toronto?") == "Neil Peart"


def test_a_translation_keeps_headings_and_leaves_marks_out() -> None:
    assert answer("copy") == ("Neil Peart\nHe was the drummer of a band from Toronto.\nHe died in California in 2020.")


@pytest.mark.parametrize("name", ["textrank", "lead"])
def test_a_summary_is_of_sentences_without_headings(name: str) -> None:
    summary = answer(name)
    assert "Neil Peart" not in summary and "California" in summary


@pytest.mark.parametrize("name", ["extractive", "extractive:unit=sentence", "copy", "textrank", "lead", "naive"])
def test_a_mark_of_a_gap_is_not_in_the_answer(name: str) -> None:
    assert GAP.strip() not in answer(name, "What was left out?")


def test_options_are_weighed_with_the_words_of_headings() -> None:
    listed = Part("options", "\n(A) a singer of songs\n(B) Neil Peart\n")
    prompt = Prompt((*PASSAGES, Part("text", "\n\n"), Part("query", "Which one was he?"), listed))
    (reply,) = models.get("choices:answer=text").reply([Generate(prompt, 30)])
    assert reply.value == "Neil Peart"
