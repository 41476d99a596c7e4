"""The reader that copies the document."""

import models
from models import Generate, Part, Prompt
from models.baselines.copy import Copy


def test_document_parts_are_copied_and_no_other_parts() -> None:
    parts = (
        Part("instruction", "translate: "),
        Part("document", "A line.\n\n  Another. ", 0, 20),
        Part("cue", "German:"),
    )
    (reply,) = models.get("copy").reply([Generate(Prompt(parts), 100)])
    assert (reply.value, reply.tokens_in, reply.tokens_out, reply.finish_reason) == (
        "A line.\n\n  Another.",
        5,
        3,
        "stop",
    )


def test_several_parts_are_joined_as_in_the_prompt_in_its_order() -> None:
    prompt = Prompt((Part("document", "b", 5, 6), Part("document", "a", 0, 1)), separator=" | ")
    (reply,) = Copy().reply([Generate(prompt, 100)])
    assert reply.value == "b | a"


def test_an_output_over_the_requested_length_is_cut_and_reported() -> None:
    (reply,) = Copy().reply([Generate("one two  three", 2)])
    assert (reply.value, reply.finish_reason) == ("one two", "length")
