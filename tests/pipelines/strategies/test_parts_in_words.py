"""Strategies that ask about one part at a time, with a prompt for chat models: parts may say that they hold nothing."""

from dataclasses import replace
from typing import Any

import pytest

from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.prompts.chat_words import ChatWords, if_not_stated
from pipelines.prompts.template import Template
from pipelines.strategies import get
from tests.pipelines.strategies.made import drive, job

WORDS = ChatWords("Answer a question about a letter.", "Be short.", document="Letter")
PARTS = ("Dear Ada,", "we met at noon", "in Acre.", "Yours, Bob")


def drive_parts(strategy: str, replies: dict[str, str], **fields: Any) -> tuple[Any, list[Any]]:
    """The outcome where a request that shows a text of `replies` gets its reply, and any other "Unanswerable."."""
    chat_job = replace(job(*PARTS), template=ChatPrompt(WORDS, "part", **fields))

    def reply(request: Any) -> str:
        return next(
            (reply_text for text, reply_text in replies.items() if text in request.prompt.text), "Unanswerable."
        )

    return drive(get(strategy), chat_job, reply)


@pytest.mark.parametrize("strategy", ["map", "map_reduce", "vote", "refine"])
def test_parts_that_do_not_hold_the_answer_are_left_out(strategy):
    outcome, _ = drive_parts(strategy, {"at noon": "at noon"})
    assert outcome.prediction == "at noon"


@pytest.mark.parametrize("strategy", ["map", "map_reduce", "vote", "refine"])
def test_where_no_part_holds_it_the_prediction_says_so_once(strategy):
    outcome, _ = drive_parts(strategy, {})
    assert outcome.prediction == "Unanswerable."


@pytest.mark.parametrize("strategy", ["map", "map_reduce", "vote", "refine"])
def test_with_other_prompts_such_a_reply_is_an_answer_like_any_other(strategy):
    assert get(strategy).by_part is True
    template_job = replace(job(*PARTS), template=Template("{query} {document}"))
    outcome, _ = drive(get(strategy), template_job, lambda request: "Unanswerable.")
    assert outcome.prediction == ("\n".join(["Unanswerable."] * 4) if strategy == "map" else "Unanswerable.")


def test_answers_of_parts_are_put_together_in_a_prompt_that_calls_them_so():
    _, rounds = drive_parts("map_reduce", {"Only one part": "at noon", "In place of the letter": "at noon"})
    (joined,) = rounds[1]
    assert joined == (
        "Answer a question about a letter. In place of the letter, what was written about its parts is shown: make one "
        "answer of it.\n\nOn the parts of the letter:\nat noon\n\nat noon\n\nat noon\n\nat noon\n\nBe short.\n\n"
        "Question: who?\nAnswer:"
    )


def test_the_answer_so_far_is_behind_the_part_that_it_is_to_be_corrected_by():
    _, rounds = drive_parts("refine", {"Dear Ada": "Ada"})
    assert rounds[1] == [
        "Answer a question about a letter. Only one part of the letter is shown.\n\nPart of the letter:\nwe met at noon"
        "\n\nAnswer so far: Ada\n\nThat answer is from the parts before. Correct or complete it by this part; where "
        f"this part adds nothing, write it as it is.\n\nBe short. {if_not_stated('this part')}\n\n"
        "Question: who?\nAnswer:"
    ]


def test_an_answer_is_drawn_from_the_reasoning_in_the_same_words():
    chat_job = replace(job(*PARTS), template=ChatPrompt(WORDS, reasoning=True))
    outcome, rounds = drive(get("chain_of_thought"), chat_job, lambda request: "They met. So at noon.")
    assert rounds[0][0].endswith("Do not answer yet: write down, step by step, what leads to the answer.")
    assert rounds[1][0].endswith("Thoughts:\nThey met. So at noon.\n\nBe short.\n\nQuestion: who?\nAnswer:")
    assert outcome.notes["reasoning"] == "They met. So at noon."
