import pytest

from longdoc.errors import UserError
from pipelines.plugins.bridges._flat_prompts import chat_text, flat_prompt, messages_of

STORY = " ".join(f"The gull number {number} flew over the old harbour." for number in range(30))
SHIPS = " ".join(f"Ship {number} lay in the bay." for number in range(40))


def document_and_query(text: str, row: dict[str, object], **fields: str) -> tuple[str, str]:
    """The document that a prompt contains, and the query that chunks are ranked by."""
    prompt = flat_prompt(text, row, **fields)
    assert prompt.full_prompt().text == text
    return ("" if prompt.document is None else text[slice(*prompt.document)]), prompt.query


def test_the_longest_field_that_the_prompt_holds_is_the_document_and_the_question_is_beside_it() -> None:
    row = {"story": STORY, "question": "Which gull flew first?", "answer": "number 0", "index": 3}
    assert document_and_query(f"Read.\n\n{STORY}\n\nQ: Which gull flew first?\nA:", row) == (
        STORY,
        "Which gull flew first?",
    )


def test_the_last_occurrence_counts_as_examples_come_first() -> None:
    row = {"text": STORY, "question": "Who?"}
    prompt = flat_prompt(f"{STORY}\nQ: Who?\nA: a gull\n\n{STORY}\nQ: Who?\nA:", row)
    assert prompt.document == (len(STORY) + 20, 2 * len(STORY) + 20)
    assert prompt.question is not None and prompt.question[0] > prompt.document[1]


def test_a_field_that_is_the_whole_prompt_is_not_its_document() -> None:
    prompt = f"Which?\n\n{STORY}"
    assert document_and_query(prompt, {"input": prompt, "text": STORY}) == (STORY, "Which?")


def test_without_a_field_for_it_the_question_is_what_follows_the_document_or_comes_before_it() -> None:
    row = {"text": STORY}
    assert document_and_query(f"Read this.\n{STORY}\nNow tell who flew.", row)[1] == "Now tell who flew."
    assert document_and_query(f"Who flew over the harbour?\n{STORY}\nA:", row)[1] == "Who flew over the harbour?"


def test_a_short_field_is_no_document() -> None:
    assert document_and_query("Which gull flew first? Say it.", {"question": "Which gull flew first?"}) == ("", "")


def test_fields_can_be_named() -> None:
    row = {"a": STORY, "b": SHIPS, "c": "Which ship?", "question": "Which gull?"}
    prompt = f"{STORY}\n{SHIPS}\nWhich gull? Which ship?"
    assert document_and_query(prompt, row, document_field="b", query_field="c") == (SHIPS, "Which ship?")


def test_a_named_field_that_the_row_lacks_is_refused() -> None:
    with pytest.raises(UserError, match="no field 'context' with a text: they have question, story"):
        flat_prompt(STORY, {"story": STORY, "question": "x"}, document_field="context")


def test_a_conversation_is_one_text_and_its_last_assistant_turn_how_the_answer_begins() -> None:
    turns = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": f"{STORY}\nWho flew there?"},
        {"role": "assistant", "content": "It was"},
    ]
    text = chat_text(turns)
    assert messages_of(text) == turns
    prompt = flat_prompt(text, {"text": STORY})
    assert prompt.full_prompt().turns == (f"Be brief.\n\n{STORY}\nWho flew there?", "It was")


@pytest.mark.parametrize("text", ["plain", '{"messages": [broken', '{"messages": [], "other": 1}'])
def test_other_texts_are_no_conversations(text: str) -> None:
    assert messages_of(text) is None
