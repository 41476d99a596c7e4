"""The answer that a chat model's reply gives, by the kind of answers that a task has."""

import pytest

from pipelines.records import Document, Example
from pipelines.strategies._chat_form import ChatForm

OPTIONS = ("Entailment", "Contradiction", "Not mentioned")
EXAMPLE = Example("e", Document("d", "It left."), "Did it?", ("Entailment",), OPTIONS)


@pytest.mark.parametrize(
    ("answers", "output", "answer", "remark"),
    [
        ("label", "The answer is: **contradiction**", "Contradiction", None),
        ("label", "(B)", "(B)", "the reply names no label, or several"),
        ("option", "(B)", "Contradiction", None),
        ("option", "(A) or (B)", "(A) or (B)", "the reply names no option, or several"),
        ("short", "Yes, it did.", "Yes", None),
        ("short", "It did.", "It did.", None),
        ("text", "Yes, it did.", "Yes, it did.", None),
    ],
)
def test_a_reply_gives_an_answer_of_its_task_or_stays_as_it_is(answers, output, answer, remark):
    form = ChatForm("chat", answers=answers)
    assert form.answer(EXAMPLE, output) == answer
    assert form.remark(EXAMPLE, answer) == remark
