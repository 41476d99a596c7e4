"""Prompts as messages of inspect_ai, and back."""

import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

from longdoc.errors import UserError
from models.prompts import Part, Prompt
from pipelines.plugins.bridges.for_inspect.prompts import message_of, prompt_of

PROMPT = Prompt(
    (
        Part("instruction", "Answer briefly. "),
        Part("document", "Anna keeps bees.", 0, 16, rank=1, title="Bees", heading=(40, 44), gap=False, label="[1]"),
        Part("document", "Bert mends clocks.", 20, 38, rank=0, gap=True, label="[2]"),
        Part("text", "\n\n"),
        Part("query", "Who keeps bees?"),
    ),
    truncated_tokens=3,
    cut_at="token",
    cut_side="middle",
)


def test_a_prompt_comes_back_with_all_its_parts():
    message = message_of(PROMPT)
    assert (message.role, message.text) == ("user", PROMPT.text)
    assert prompt_of([message]) == PROMPT
    again = ChatMessageUser.model_validate_json(message.model_dump_json())  # as from a log
    assert prompt_of([again]) == PROMPT


def test_the_message_of_a_prompt_keeps_the_id_and_metadata_of_the_one_that_it_replaces():
    before = ChatMessageUser(id="m1", content="All of the document", metadata={"by": "me"})
    message = message_of(PROMPT, before)
    assert (message.id, message.metadata["by"], before.text) == ("m1", "me", "All of the document")
    assert prompt_of([message]) == PROMPT


def test_a_system_message_is_an_instruction_before_the_prompt():
    prompt = prompt_of([ChatMessageSystem(content="You read contracts."), message_of(PROMPT)])
    assert prompt.text == f"You read contracts.\n\n{PROMPT.text}"
    assert prompt.parts == (Part("instruction", "You read contracts.\n\n"), *PROMPT.parts)


def test_a_message_without_a_record_of_its_parts_is_a_document():
    assert prompt_of([ChatMessageUser(content="Who keeps bees?")]) == Prompt.of("Who keeps bees?")


def test_a_prompt_that_was_changed_afterwards_is_refused():
    message = message_of(PROMPT)
    message.text += " Think step by step."
    with pytest.raises(UserError, match="the prompt was changed after longdoc_select: put the solver"):
        prompt_of([message])


def test_a_conversation_is_refused():
    with pytest.raises(UserError, match=r"one prompt, and here is a conversation \(user, assistant, user\)"):
        prompt_of([message_of(PROMPT), ChatMessageAssistant(content="Anna"), ChatMessageUser(content="Sure?")])
