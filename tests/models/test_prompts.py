"""Prompts of parts: the text that a reader gets, and the turns of a conversation."""

from models.prompts import Part, Prompt

ASKED = (Part("document", "A mill."), Part("text", "\n\n"), Part("query", "Whose?"))


def test_how_the_answer_begins_is_the_assistant_s_turn_and_ends_the_text_otherwise() -> None:
    prompt = Prompt((*ASKED, Part("prefill", "\n\nAnswer: <answer>")))
    assert prompt.text == "A mill.\n\nWhose?\n\nAnswer: <answer>"
    assert prompt.turns == ("A mill.\n\nWhose?", "Answer: <answer>")


def test_without_a_prefill_everything_is_the_user_s_turn() -> None:
    assert Prompt(ASKED).turns == ("A mill.\n\nWhose?", "")
    assert Prompt((*ASKED[:2], Part("prefill", "Share: <share>"))).turns == ("A mill.\n\n", "Share: <share>")
