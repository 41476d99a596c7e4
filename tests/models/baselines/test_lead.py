"""The lead reader: the first whole sentences of running text."""

import pytest

import models
from longdoc.errors import UserError
from models import Generate, Part, Prompt, Reply

TEXT = "## 1 Ships and boats\n\nShips sail on the sea. Boats float there as well. Nobody knows quite why they do."


def lead(text: str | Prompt, length: int, **fields: object) -> Reply:
    return models.get("lead", **fields).reply([Generate(text, length)])[0]


def test_as_many_whole_sentences_as_fit_and_no_heading() -> None:
    assert lead(TEXT, 12).value == "Ships sail on the sea. Boats float there as well."
    assert lead(TEXT, 11).value == "Ships sail on the sea. Boats float there as well."
    assert lead(TEXT, 9).value == "Ships sail on the sea."
    assert lead(TEXT, 100).value == TEXT.split("\n\n")[1]


def test_a_first_sentence_that_is_too_long_is_cut_and_the_reply_says_so() -> None:
    reply = lead(TEXT, 3)
    assert (reply.value, reply.tokens_out, reply.finish_reason) == ("Ships sail on", 3, "length")


def test_words_bounds_the_length_further() -> None:
    assert lead(TEXT, 100, words=11).value == "Ships sail on the sea. Boats float there as well."
    assert lead(TEXT, 5, words=11).value == "Ships sail on the sea."
    assert lead(TEXT, 100, words=2).value == "Ships sail"


def test_tables_fragments_and_broken_sentences_are_passed_over() -> None:
    text = "-- --- 3.1 -- ---\n\nwhere it is the radius of it. See the result in eq. Yes. We show that ships do float."
    assert lead(text, 50).value == "We show that ships do float."


def test_a_text_without_prose_is_taken_from_its_beginning() -> None:
    assert lead("one two three", 2).value == "one two"


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [
        ("鲸鱼\n\n鲸鱼是哺乳动物。它们生活在海里。你知道吗？", 14, "鲸鱼是哺乳动物。 它们生活在海里。"),
        ("किताब\n\nयह एक लंबी किताब है। वह रोज़ इसे पढ़ता है।", 9, "यह एक लंबी किताब है।"),
        ("सूची ३.१\n\n- -\n\nयह एक लंबी किताब है।", 9, "यह एक लंबी किताब है।"),
        ("ปลาวาฬเป็นสัตว์ มันอาศัยอยู่ในทะเล", 12, "ปลาวาฬเป็นสัตว์"),
        ("သူ စျေးသို့ သွားတယ်။ ဟုတ်တယ် ဟုတ်တယ်။", 12, "သူ စျေးသို့ သွားတယ်။"),
    ],
)
def test_prose_is_recognised_in_any_script_and_cut_by_its_words(text: str, length: int, expected: str) -> None:
    assert lead(text, length).value == expected


def test_passages_are_read_in_document_order() -> None:
    parts = (
        Part("document", "Second we do look at boats.", 50, 77),
        Part("document", "First we look at ships.", 0, 23),
    )
    assert lead(Prompt(parts), 11).value == "First we look at ships. Second we do look at boats."


def test_a_prompt_over_the_limit_is_cut_first() -> None:
    reply = lead("Ships sail on the sea. Boats float there as well.", 50, max_input_tokens=7)
    assert (reply.value, reply.tokens_in, reply.truncated_tokens) == ("Ships sail on the sea.", 7, 3)


@pytest.mark.parametrize("spec", ["lead:words=0", "lead:max_input_tokens=0"])
def test_numbers_below_one_are_refused(spec: str) -> None:
    with pytest.raises(UserError):
        models.get(spec)
