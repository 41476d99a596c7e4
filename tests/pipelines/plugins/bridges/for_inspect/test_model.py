"""Readers as models of inspect_ai."""

import asyncio

import pytest
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.tool import ToolInfo

from longdoc.errors import UserError
from models import Part, Prompt
from pipelines.plugins.bridges.for_inspect import longdoc
from pipelines.plugins.bridges.for_inspect.prompts import message_of

PROMPT = Prompt(
    (
        Part("query", "Who keeps bees?"),
        Part("text", "\n\n"),
        Part("document", "Bert mends clocks. Anna keeps bees in the hills.", 0, 48),
    )
)


def generate(model, prompt=PROMPT, tools=(), **config):
    messages = [message_of(prompt)] if isinstance(prompt, Prompt) else prompt
    return asyncio.run(model.generate(messages, tools=list(tools), config=GenerateConfig(**config)))


def test_a_reader_by_rule_answers_the_question_of_the_prompt():
    output = generate(get_model("longdoc/extractive"))
    assert (output.completion, output.stop_reason) == ("Anna keeps bees in the hills.", "stop")
    assert (output.usage.input_tokens, output.usage.output_tokens) == (12, 6)
    bare = generate(get_model("longdoc/extractive"), PROMPT.text)
    assert bare.completion == "Who keeps bees?"  # a plain text does not say which part is the question


def test_the_length_of_an_answer_and_its_stop_strings_are_set_by_inspect():
    lead = get_model("longdoc/lead")
    output = generate(lead, max_tokens=2)
    assert (output.completion, output.stop_reason) == ("Anna keeps", "max_tokens")
    assert generate(lead, max_tokens=20, stop_seqs=[" in the"]).completion == "Anna keeps bees"


def test_fields_of_the_reader_are_model_arguments():
    output = generate(get_model("longdoc/lead", max_input_tokens=7), max_tokens=20)
    assert output.completion == "Bert mends clocks. Anna"
    assert output.metadata == {"truncated_tokens": 5}


def test_several_outputs_are_choices():
    output = generate(get_model("longdoc/extractive:unit=sentence"), num_choices=2)
    outputs = [choice.message.text for choice in output.choices]
    assert outputs == ["Anna keeps bees in the hills.", "Bert mends clocks."]


def test_text_without_parts_is_read_as_a_document():
    assert generate(get_model("longdoc/lead"), "Bert mends clocks.", max_tokens=2).completion == "Bert mends"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("extractiv", {}, "unknown reader 'extractiv'; did you mean extractive"),
        ("linear", {}, "the reader linear writes no answers: --model longdoc/extractive"),
        ("none", {}, "the reader no_reader writes no answers"),
        ("lead", {"api_key": "sk-secret"}, "a reader of longdoc takes its key from the environment: leave api_key"),
        ("lead", {"base_url": "http://localhost"}, "unknown parameter of reader lead: 'base_url'"),
        ("lead", {"max_words": 3}, "unknown parameter of reader lead: 'max_words'"),
    ],
)
def test_an_invalid_reader_is_refused(name, options, message):
    with pytest.raises(UserError) as refused:
        get_model(f"longdoc/{name}", **options)
    assert message in str(refused.value)
    assert "sk-secret" not in str(refused.value)


def test_settings_that_no_reader_takes_are_refused():
    with pytest.raises(UserError, match="does not take temperature from inspect_ai: a reader's own settings are"):
        generate(get_model("longdoc/lead"), temperature=0.5)
    tool = ToolInfo(name="search", description="search")
    with pytest.raises(UserError, match="calls no tools"):
        generate(get_model("longdoc/lead"), tools=[tool])


def test_a_reader_counts_its_own_tokens():
    assert asyncio.run(get_model("longdoc/lead").count_tokens("Anna keeps bees.")) == 3


def test_the_provider_function_returns_the_class():
    assert longdoc(model_name="lead").reader.count(["a b"]) == [2]
