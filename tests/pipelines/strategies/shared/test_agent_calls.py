"""Calls of tools in replies, as models write them, and as none should."""

import pytest

from pipelines.strategies.shared.agent_calls import MAX_CHARACTERS, Call, first_call
from tests.turns import for_each


@for_each(
    "reply",
    [
        "SEARCH: the old mill",
        "search: the old mill",
        "  **SEARCH:** the old mill",
        "**Search**: the old mill",
        "- `SEARCH: the old mill`",
        "1. SEARCH: the old mill",
        "Action: search: the old mill",
        'SEARCH: "the old mill"',
        "SEARCH:\nthe old mill\n",
        "SEARCH：the old mill",
        "```\nSEARCH: the old mill\n```",
        "I need to know where it stands.\n\nSEARCH: the old mill",
        "THOUGHT: where is it?\nSEARCH: the old mill",
        '{"tool": "search", "query": "the old mill"}',
        '```json\n{"tool": "Search", "query": "the old mill"}\n```',
        'I call {"name": "search", "arguments": {"query": "the old mill"}} now',
        '{"action": "search", "input": "the old mill"}',
    ],
)
def test_a_call_is_read_however_it_is_written(reply: str) -> None:
    assert first_call(reply) == Call("search", "the old mill")


def test_an_answer_and_a_note_have_all_lines_up_to_the_next_call() -> None:
    assert first_call("ANSWER: one\n\ntwo\n") == Call("answer", "one\n\ntwo")
    assert first_call("NOTE: one\ntwo\nREAD: 3") == Call("note", "one\ntwo", is_first_of_several=True)
    assert first_call("READ: 3\nbecause") == Call("read", "3")


def test_of_several_calls_the_first_counts() -> None:
    assert first_call("ANSWER: Oslo\nANSWER: Bergen") == Call("answer", "Oslo", is_first_of_several=True)
    objects = '{"tool": "read", "passage": 3}\n{"tool": "answer", "text": "x"}'
    assert first_call(objects) == Call("read", "3", is_first_of_several=True)


def test_a_span_may_be_an_object_s_start_and_end() -> None:
    assert first_call('{"tool": "read", "start": 1200, "end": 1900}') == Call("read", "1200-1900")


def test_a_name_in_capitals_that_is_no_tool_s_is_a_call_of_it() -> None:
    assert first_call("BROWSE: https://example.org") == Call("browse", "https://example.org")
    assert first_call('{"tool": "run_code", "text": "1 + 1"}') == Call("run_code", "1 + 1")


@pytest.mark.parametrize(
    "reply",
    ["", "Oslo", "Paris: the capital", "In May 2031.", '{"name": "Anna"}', "{", "[1, 2]", '{"tool": 3}', "{{{{{{{{"],
)
def test_other_texts_call_nothing(reply: str) -> None:
    assert first_call(reply) is None


def test_replies_of_ten_million_characters_are_read_and_arguments_cut() -> None:
    size = 10_000_000
    assert first_call("SEARCH: " + "a" * size) == Call("search", "a" * MAX_CHARACTERS, is_cut=True)
    call = first_call('{"tool": "search", "query": "' + "b" * size + '"}')
    assert call == Call("search", "b" * MAX_CHARACTERS, is_cut=True)
    for text in ("a" * size, "*" * size, " " * size, "[" * size, "{" * size, '{"tool":' * (size // 8)):
        assert first_call(text) is None
    answer = first_call("ANSWER: " + "c" * size)
    assert answer is not None
    assert len(answer.argument) == size
