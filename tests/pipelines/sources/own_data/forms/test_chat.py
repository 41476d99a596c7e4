"""Chats: where the document is, what the question is, and which message is the reference."""

from collections.abc import Callable
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.records import Example

Rows = Callable[..., list[Example]]
TEXT = "Anna pays 900 euros.\n\nPets are allowed."


def chat(*turns: tuple[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": content} for role, content in turns]}


def parts(example: Example) -> tuple[str, str, tuple[str, ...]]:
    return example.document.text, example.query, example.references


@pytest.mark.parametrize(
    "row",
    [
        chat(("user", f"{TEXT}\n\nHow much?"), ("assistant", "900 euros")),
        chat(("user", f"How much?\n\n{TEXT}"), ("assistant", "900 euros")),
        chat(("system", TEXT), ("user", "How much?"), ("assistant", "900 euros")),
        chat(("user", [{"type": "text", "text": f"{TEXT}\r\n\r\nHow much?"}]), ("assistant", "900 euros")),
        {**chat(("user", "How much?"), ("assistant", "900 euros")), "context": TEXT},
        {
            "conversations": [
                {"from": "human", "value": f"{TEXT}\n\nHow much?"},
                {"from": "gpt", "value": "900 euros"},
            ]
        },
    ],
)
def test_the_document_is_before_the_question_or_beside_the_chat(read: Rows, row: dict[str, Any]) -> None:
    (example,) = read(row)
    assert parts(example) == (TEXT, "How much?", ("900 euros",))


def test_the_turns_before_the_last_question_are_part_of_the_document_each_after_its_role(read: Rows) -> None:
    turns = [("system", "Be short."), ("user", TEXT), ("assistant", "I see."), ("user", "Pets?"), ("assistant", "Yes")]
    (example,) = read(chat(*turns))
    assert parts(example) == (f"Be short.\n\nuser: {TEXT}\n\nassistant: I see.", "Pets?", ("Yes",))


def test_a_chat_that_ends_with_its_question_has_no_reference(read: Rows) -> None:
    (example,) = read(chat(("user", f"Summarize this text:\n\n{TEXT}")))
    assert parts(example) == (TEXT, "Summarize this text:", ())


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (chat(("user", "How much?")), "`messages` has a question but no text before it; put the text in a field `con"),
        (chat(("system", TEXT)), "`messages` has no message of the user"),
        ({"messages": [{"role": "user"}, "x"]}, "message 2: each of `messages` needs a `role` and a `content`"),
        (
            chat(("user", [{"type": "image_url"}])),
            "message 1: `content` must be text; pictures and sound are not supported",
        ),
        ({**chat(("user", f"{TEXT}\n\nWhy?")), "question": "How?"}, "both `question` and `messages`; leave out one"),
    ],
)
def test_a_chat_without_what_is_needed_is_refused(read: Rows, row: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=f"rows.jsonl:1.*{message}"):
        read(row)
