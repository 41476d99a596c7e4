"""Prompts for chat models in a task's words, and the answer that a reply gives, by the kind of answers of the task."""

from dataclasses import replace
from typing import Any

import pytest

from models.prompts import Part
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.prompts.chat_words import ChatWords, if_not_stated
from pipelines.records import Document, Example
from tests.turns import for_each

TEXT = "It left at noon. The doctor had lied."
OPTIONS = ("Entailment", "Contradiction", "Not mentioned")
EXAMPLE = Example("e", Document("d", TEXT), "Did it?", ("Entailment",), OPTIONS)
WITHOUT_OPTIONS = replace(EXAMPLE, options=())
IF_NOT_STATED = if_not_stated("this part")
WORDS = ChatWords("Answer a question about a contract.", "Be short.", document="Contract")
WHOLE = (Part("document", TEXT, 0, len(TEXT)),)
PASSAGES = (Part("document", "It left at noon.", 0, 16), Part("document", "had lied", 28, 36))


def prompt(answers: Any = "text", **fields: Any) -> ChatPrompt:
    return ChatPrompt(replace(WORDS, answers=answers), **fields)


@for_each(
    ("answers", "output", "answer", "remark"),
    [
        ("label", "The answer is: **contradiction**", "Contradiction", None),
        ("label", "(B)", "(B)", "the reply names no label, or several"),
        ("option", "(B)", "Contradiction", None),
        ("option", "(A) or (B)", "(A) or (B)", "the reply names no option, or several"),
        ("letter", "The answer is (B).", "B", None),
        ("letter", "Contradiction", "B", None),
        ("letter", "I cannot tell.", "I cannot tell.", "the reply names no letter, or several"),
        ("short", "Yes, it did.", "Yes", None),
        ("short", "It did.", "It did.", None),
        ("absent", "**Unanswerable.**", "unanswerable", None),
        ("absent", "Not stated.", "unanswerable", None),
        ("absent", "Not stated in court", "Not stated in court", None),
        ("short", "not stated", "Unanswerable", None),
        ("absent", "Yes, it did.", "Yes, it did.", None),
        ("dictionary", "```json\n{'<mask-0>': 'Ada'}\n```", "{'<mask-0>': 'Ada'}", None),
        ("dictionary", "Ada", "Ada", None),
        ("text", "Yes, it did.", "Yes, it did.", None),
    ],
)
def test_a_reply_gives_an_answer_of_its_task_or_stays_as_it_is(answers, output, answer, remark):
    assert prompt(answers).answer(EXAMPLE, output) == answer
    assert prompt(answers).remark(EXAMPLE, answer) == remark


def test_the_format_stands_behind_the_document_and_the_question_last():
    rendered = prompt().render(WITHOUT_OPTIONS, WHOLE)
    assert rendered.text == (
        f"Answer a question about a contract.\n\nContract:\n{TEXT}\n\nBe short.\n\nQuestion: Did it?\nAnswer:"
    )
    assert [part.role for part in rendered.visible_parts] == [
        "instruction", "text", "document", "instruction", "text", "query", "cue",
    ]  # fmt: skip


def test_without_a_question_the_format_follows_the_document():
    rendered = prompt().render(replace(WITHOUT_OPTIONS, query=""), WHOLE).text
    assert rendered == f"Answer a question about a contract.\n\nContract:\n{TEXT}\n\nBe short."


def test_options_have_letters_behind_the_question_and_labels_stand_under_the_format():
    by_letter = prompt("option").render(EXAMPLE, WHOLE).text
    assert by_letter.endswith(
        "Be short.\n\nQuestion: Did it?\n(A) Entailment\n(B) Contradiction\n(C) Not mentioned\nAnswer:"
    )
    labels = "\nEntailment\nContradiction\nNot mentioned"
    assert prompt("label").render(EXAMPLE, WHOLE).text.endswith(f"Be short.{labels}\n\nQuestion: Did it?\nAnswer:")
    of_task = prompt("label", labels=("Hero", "Villain")).render(WITHOUT_OPTIONS, WHOLE).text
    assert of_task.endswith("Be short.\nHero\nVillain\n\nQuestion: Did it?\nAnswer:")


def test_options_that_the_question_lists_are_not_listed_again():
    question = "Which?\n\n (A) Entailment\n (B) Contradiction\n (C) Not mentioned"
    assert (
        prompt("option")
        .render(replace(EXAMPLE, query=question), WHOLE)
        .text.endswith(f"Be short.\n\nQuestion: {question}\nAnswer:")
    )


def test_a_row_of_ones_own_with_options_asks_for_a_letter_whatever_the_task_asks_for():
    words = replace(WORDS, answers="absent", absent=IF_NOT_STATED)
    lettered = replace(EXAMPLE, meta={"lettered": True})
    rendered = ChatPrompt(words).render(lettered, WHOLE).text
    assert rendered.endswith("\n(C) Not mentioned\nAnswer:")
    assert ChatPrompt(words).answer(lettered, "C") == "Not mentioned"


def test_more_options_than_letters_are_listed_without():
    towns = tuple(f"town {number}" for number in range(30))
    example = replace(EXAMPLE, options=towns)
    rendered = prompt().render(example, WHOLE).text
    lines = "\n".join(towns)
    assert rendered.endswith(
        f"Write the one of these answers that is right, and nothing else:\n{lines}\n\nQuestion: Did it?\nAnswer:"
    )
    assert prompt().answer(example, "It was **town 29**.") == "town 29"


def test_how_to_say_that_there_is_no_answer_stands_above_the_document():
    words = replace(WORDS, absent='If it does not say, write "not stated".')
    assert ChatPrompt(words).render(WITHOUT_OPTIONS, WHOLE).text == (
        'Answer a question about a contract. If it does not say, write "not stated".\n\nContract:\n'
        "It left at noon. The doctor had lied.\n\nBe short.\n\nQuestion: Did it?\nAnswer:"
    )


def test_the_prompt_says_where_only_parts_are_shown():
    assert prompt(shown="passages").render(WITHOUT_OPTIONS, PASSAGES).text == (
        "Answer a question about a contract. Only parts of the contract are shown.\n\nParts of the contract:\n"
        "It left at noon.\n\nhad lied\n\nBe short.\n\nQuestion: Did it?\nAnswer:"
    )
    part_prompt = prompt(shown="part").render(WITHOUT_OPTIONS, PASSAGES[:1]).text
    assert part_prompt.startswith(
        "Answer a question about a contract. Only one part of the contract is shown.\n\nPart of the contract:\nIt left"
    )


@pytest.mark.parametrize("shown", ["passages", "part"])
def test_a_chunk_that_is_the_document_is_called_the_document(shown):
    assert prompt(shown=shown).render(WITHOUT_OPTIONS, WHOLE).text == prompt().render(WITHOUT_OPTIONS, WHOLE).text


def test_a_part_has_a_format_of_its_own_and_notes_about_parts_have_the_task_s():
    words = replace(WORDS, part_format="One sentence.")
    rendered = ChatPrompt(words, "part").render(WITHOUT_OPTIONS, PASSAGES[:1]).text
    assert rendered.endswith(f"One sentence. {IF_NOT_STATED}\n\nQuestion: Did it?\nAnswer:")
    notes = (Part("document", "It left."), Part("document", "He lied."))
    assert ChatPrompt(words, "part").render(WITHOUT_OPTIONS, notes).text == (
        "Answer a question about a contract. In place of the contract, what was written about its parts is shown: make "
        "one answer of it.\n\nOn the parts of the contract:\nIt left.\n\nHe lied.\n\nBe short.\n\nQuestion: Did it?\n"
        "Answer:"
    )


def test_without_a_document_the_model_is_asked_to_answer_from_what_it_knows():
    words = replace(WORDS, absent=IF_NOT_STATED)
    assert ChatPrompt(words).render(WITHOUT_OPTIONS, ()).text == (
        "Answer a question about a contract. The contract is not shown: answer from what you know.\n\nBe short.\n\n"
        "Question: Did it?\nAnswer:"
    )


def test_a_notice_follows_a_document_that_was_cut():
    cut = prompt().render(WITHOUT_OPTIONS, WHOLE).with_passages((Part("document", "It left", 0, 7),), 4)
    assert "It left\n\n[It was too long: not all of the contract is shown.]\n\nBe short.\n\nQuestion:" in cut.text


def test_reasoning_is_asked_for_first_and_then_the_answer_from_it():
    first = prompt(reasoning=True)
    steps = "Do not answer yet: write down, step by step, what leads to the answer."
    assert first.render(WITHOUT_OPTIONS, WHOLE).text.endswith(f"Question: Did it?\n\n{steps}")
    assert first.concluding().render(WITHOUT_OPTIONS, (Part("document", "So it did."),)).text == (
        "Answer a question about a contract. In place of the contract, the thoughts of somebody who has read it are "
        "shown: give the answer that they lead to.\n\nThoughts:\nSo it did.\n\nBe short.\n\nQuestion: Did it?\n"
        "Answer:"
    )


def test_answers_can_be_requested_in_tags():
    tagged = prompt("option", tags=True)
    rendered = tagged.render(EXAMPLE, WHOLE)
    assert rendered.text.endswith("(C) Not mentioned\n\n<answer>")
    assert rendered.turns[1] == "<answer>"
    assert tagged.answer(EXAMPLE, "It lied, so <answer>(B)</answer> it is.") == "Contradiction"
    assert tagged.answer(EXAMPLE, "(C)</answer>") == "Not mentioned"
    by_label = prompt("label", tags=True).render(EXAMPLE, WHOLE).text
    labels = "Entailment\nContradiction\nNot mentioned\n"
    assert by_label.endswith(
        f"Be short.\n{labels}Write the answer between <answer> and </answer>.\n\nQuestion: Did it?\n\n<answer>"
    )


def test_a_reply_to_a_part_may_be_not_stated_and_a_reply_to_passages_may_not():
    part_prompt = prompt(shown="part")
    assert part_prompt.render(WITHOUT_OPTIONS, PASSAGES[:1]).text.endswith(
        f"Be short. {IF_NOT_STATED}\n\nQuestion: Did it?\nAnswer:"
    )
    assert part_prompt.render(replace(WITHOUT_OPTIONS, query=""), PASSAGES[:1]).text.endswith("noon.\n\nBe short.")
    assert prompt("option", shown="part").render(EXAMPLE, PASSAGES[:1]).text.endswith("(C) Not mentioned\nAnswer:")
    assert part_prompt.declines("Unanswerable.") is True
    assert part_prompt.declines("at noon") is False
    assert prompt(shown="passages").declines("Unanswerable.") is False


def test_the_answer_so_far_stands_behind_the_part_and_before_the_question():
    part_prompt = prompt(shown="part")
    with_answer = part_prompt.with_answer_so_far(
        part_prompt.render(WITHOUT_OPTIONS, PASSAGES[:1]), "Answer so far: at noon\n"
    )
    assert with_answer.text.partition("Part of the contract:\n")[2] == (
        "It left at noon.\n\nAnswer so far: at noon\n\nThat answer is from the parts before. Correct or complete it "
        "by this part; where this part adds nothing, write it as it is.\n\n"
        f"Be short. {IF_NOT_STATED}\n\nQuestion: Did it?\nAnswer:"
    )


def test_without_a_cue_the_format_is_last():
    words = replace(WORDS, cue="")
    assert ChatPrompt(words).render(WITHOUT_OPTIONS, WHOLE).text.endswith(f"{TEXT}\n\nQuestion: Did it?\n\nBe short.")
