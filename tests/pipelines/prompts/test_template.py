"""Prompt templates with named parts."""

import pytest

from longdoc.errors import UserError
from models.prompts import Part
from pipelines.prompts.template import Template
from pipelines.records import Document, Example

EXAMPLE = Example("e", Document("d", "one two three"), "Why?", options=("yes", "no"))
PASSAGES = [Part("document", "three", 8, 13, 0), Part("document", "one", 0, 3, 1)]


def test_parts_come_in_the_order_of_the_template_and_passages_keep_theirs():
    prompt = Template("Answer. {query}\n{options}\n\n{document}\nAnswer:").render(EXAMPLE, PASSAGES)
    assert prompt.text == "Answer. Why?\nyes\nno\n\nthree\none\nAnswer:"
    assert [part.role for part in prompt.parts] == [
        "text", "query", "text", "options", "text", "document", "document", "text",
    ]  # fmt: skip
    assert prompt.spans == [(8, 13), (0, 3)]


def test_an_instruction_is_a_part_of_its_own_which_translation_models_leave_out():
    prompt = Template("{instruction}{document}", "Translate: ").render(EXAMPLE, PASSAGES[:1])
    assert [(part.role, part.text) for part in prompt.parts] == [("instruction", "Translate: "), ("document", "three")]


def test_options_are_one_per_line_or_as_the_data_write_them():
    with_options_text = Example("e", EXAMPLE.document, options=("yes", "no"), meta={"options_text": " (A) yes (B) no "})
    template = Template("{options}|{document}")
    assert template.render(EXAMPLE, PASSAGES[:1]).text == "yes\nno|three"
    assert template.render(with_options_text, PASSAGES[:1]).text == " (A) yes (B) no |three"


def test_doubled_braces_are_braces():
    assert Template("{{{document}}}").render(EXAMPLE, PASSAGES[:1]).text == "{three}"


def test_an_example_without_a_question_leaves_its_part_out():
    assert Template("{query} {document}").render(Example("e", EXAMPLE.document), PASSAGES[:1]).text == " three"


def test_an_option_that_the_example_lacks_is_refused():
    template = Template("{option_a} or {option_b}: {document}")
    assert template.render(EXAMPLE, PASSAGES[:1]).text == "yes or no: three"
    with pytest.raises(UserError) as refused:
        Template("{option_c} {document}").render(EXAMPLE, PASSAGES[:1])
    assert str(refused.value) == (
        "example 'e' has 2 options, and the prompt asks for {option_c}; use {options}, or data with more options"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{document} {quary}", "unknown part of a prompt template 'quary'; did you mean query"),
        ("{query}", "must contain {document} exactly once"),
        ("{document}{document}", "must contain {document} exactly once"),
        ("{document} {", "cannot read the prompt template"),
        ("{document!r}", "a part has a format specification, which is not supported"),
        ("{query:>9} {document}", "a part has a format"),
        ("", "must contain {document} exactly once"),
    ],
)
def test_a_template_that_cannot_work_is_refused(text, message):
    with pytest.raises(UserError, match=message):
        Template(text)
