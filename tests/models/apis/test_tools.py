"""Tools in the form of each API: what is sent, what comes back as text, and calls that are none."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import models
from longdoc.errors import UserError
from models import Generate, Reply, Tool
from models.apis._tools import TOO_DEEP, call_line
from models.tools import tools_text
from tests.api_server import Answer, ApiServer, base_of, chat, failure, json_answer, message, ollama, response
from tests.turns import for_each

SEARCH = Tool("search", "Shows passages.", "query")
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}
FUNCTION = {"name": "search", "description": "Shows passages.", "parameters": SCHEMA}
WIRES = ("openai", "responses", "anthropic", "ollama")


def called(wire: str, *calls: tuple[Any, Any], text: str = "") -> Answer:
    """A reply in a wire's form that says a text and calls tools, (name, arguments) each."""
    if wire == "openai":
        functions = [{"name": name, "arguments": arguments} for name, arguments in calls]
        return completion(text, [{"id": "1", "type": "function", "function": function} for function in functions])
    if wire == "responses":
        items = [
            {"type": "function_call", "call_id": "1", "name": name, "arguments": arguments} for name, arguments in calls
        ]
        said = [{"type": "message", "content": [{"type": "output_text", "text": text}]}] if text else []
        return response(*said, *items)
    if wire == "anthropic":
        blocks = [{"type": "tool_use", "id": "1", "name": name, "input": arguments} for name, arguments in calls]
        return message(*([{"type": "text", "text": text}] if text else []), *blocks, stop="tool_use")
    return ollama(text, tool_calls=[{"function": {"name": name, "arguments": arguments}} for name, arguments in calls])


def completion(text: str | None, tool_calls: Any, finish: str = "tool_calls") -> Answer:
    record = json.loads(chat(text, finish=finish).body)
    record["choices"][0]["message"]["tool_calls"] = tool_calls
    return json_answer(record)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "key-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    made = ApiServer(lambda request, times: chat("x"), {"/api/show": json_answer({})})
    yield made
    made.close()


def reader(wire: str, server: ApiServer, **fields: Any) -> Any:
    return models.get(wire, model="m", base_url=base_of(wire, server.url), max_retries=0, **fields)


def replied(wire: str, server: ApiServer, answer: Answer, tools: tuple[Tool, ...] = (SEARCH,)) -> Reply:
    server.answer = lambda request, times: answer
    (reply,) = reader(wire, server).reply([Generate("who?", 40, tools=tools)])
    return reply


def arguments(wire: str, value: dict[str, Any]) -> Any:
    return json.dumps(value) if wire in ("openai", "responses") else value


@pytest.mark.parametrize("wire", WIRES)
def test_tools_are_offered_in_the_form_of_the_api(wire: str, server: ApiServer) -> None:
    replied(wire, server, called(wire, ("search", arguments(wire, {"query": "mill"}))))
    body = server.received[0].body
    assert (
        body["tools"]
        == {
            "openai": [{"type": "function", "function": FUNCTION}],
            "ollama": [{"type": "function", "function": FUNCTION}],
            "responses": [{"type": "function", **FUNCTION, "strict": False}],
            "anthropic": [{"name": "search", "description": "Shows passages.", "input_schema": SCHEMA}],
        }[wire]
    )
    one_call = {
        "openai": {"parallel_tool_calls": False},
        "responses": {"parallel_tool_calls": False},
        "anthropic": {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
        "ollama": {},
    }[wire]
    assert {name: body.get(name) for name in one_call} == one_call
    replied(wire, server, called(wire, text="Oslo"), tools=())
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & server.received[1].body.keys()


@pytest.mark.parametrize("wire", WIRES)
def test_a_call_is_a_line_of_json_behind_what_is_said_beside_it(wire: str, server: ApiServer) -> None:
    line = '{"tool": "search", "arguments": {"query": "the mill"}}'
    call = ("search", arguments(wire, {"query": "the mill"}))
    reply = replied(wire, server, called(wire, call))
    assert (reply.value, reply.finish_reason, reply.error) == (line, "stop", None)
    assert "finish_reasons" not in reply.served
    assert replied(wire, server, called(wire, call, call, text="I look.")).value == f"I look.\n{line}\n{line}"
    assert replied(wire, server, called(wire, text="Oslo")).value == "Oslo"


@pytest.mark.parametrize("wire", WIRES)
def test_a_call_without_an_offer_is_an_error_of_its_request(wire: str, server: ApiServer) -> None:
    reply = replied(wire, server, called(wire, ("search", arguments(wire, {"query": "x"}))), tools=())
    assert "calls a tool (search) and is no answer" in str(reply.error)


@pytest.mark.parametrize("wire", ["openai", "responses"])
@for_each(
    ("sent", "line"),
    [
        ('{"query": "a', '{"tool": "search", "arguments": "{\\"query\\": \\"a"}'),
        ('{"query": "a", "query": "b"}', '"arguments": "{\\"query\\": \\"a\\", \\"query\\": \\"b\\"}"}'),
        ("the mill", '{"tool": "search", "arguments": "the mill"}'),
        ('"the mill"', '{"tool": "search", "arguments": "the mill"}'),
        ("[1, 2]", '{"tool": "search", "arguments": [1, 2]}'),
        ("7", '{"tool": "search", "arguments": 7}'),
        ("", '{"tool": "search", "arguments": ""}'),
        (None, '{"tool": "search", "arguments": null}'),
        ({"query": "a"}, '{"tool": "search", "arguments": {"query": "a"}}'),
        ("[" * 5000, '{"tool": "search", "arguments": "[[[['),
        ("1" * 5000, '{"tool": "search", "arguments": "1111'),
        ('{"query": "\\ud800"}', '{"tool": "search", "arguments": {"query": "\ufffd"}}'),
    ],
)
def test_arguments_of_any_kind_are_kept(wire: str, sent: Any, line: str, server: ApiServer) -> None:
    reply = replied(wire, server, called(wire, ("search", sent)))
    assert reply.error is None
    assert line in reply.value
    assert "\n" not in reply.value


@pytest.mark.parametrize("wire", WIRES)
@for_each("name", ["x" * 10_000_000, None, 7, {"a": 1}])
def test_names_of_any_kind_are_kept_as_a_short_text(wire: str, name: Any, server: ApiServer) -> None:
    reply = replied(wire, server, called(wire, (name, arguments(wire, {"query": "x"}))))
    kept = "x" * 100 if isinstance(name, str) else ""
    assert reply.value == json.dumps({"tool": kept, "arguments": {"query": "x"}})


@pytest.mark.parametrize("wire", ["openai", "ollama"])
@for_each("tool_calls", ["search", {"a": 1}, [], [None], [{}], [{"function": None}], [7], None])
def test_lists_of_calls_that_are_none_leave_the_text_or_an_empty_call(
    wire: str, tool_calls: Any, server: ApiServer
) -> None:
    answer = completion("Oslo", tool_calls, "stop") if wire == "openai" else ollama("Oslo", tool_calls=tool_calls)
    reply = replied(wire, server, answer)
    assert reply.error is None
    assert reply.value in ("Oslo", 'Oslo\n{"tool": "", "arguments": null}')


def test_an_end_for_calls_without_any_is_an_empty_answer(server: ApiServer) -> None:
    reply = replied("openai", server, completion("", [], "tool_calls"))
    assert (reply.value, reply.finish_reason, reply.error) == ("", "stop", None)


def test_the_older_form_of_a_single_call_is_read(server: ApiServer) -> None:
    record = json.loads(chat(None, finish="function_call").body)
    record["choices"][0]["message"]["function_call"] = {"name": "search", "arguments": '{"query": "x"}'}
    assert replied("openai", server, json_answer(record)).value == '{"tool": "search", "arguments": {"query": "x"}}'


def test_arguments_that_are_nested_too_deeply_are_none() -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    assert call_line("search", deep) == json.dumps({"tool": "search", "arguments": TOO_DEEP})


def test_the_tools_take_their_part_of_the_window(server: ApiServer) -> None:
    server.answer = lambda request, times: chat("Oslo")
    made = reader("openai", server, max_input_tokens=200)
    words = "word " * 400
    plain, offered = made.reply([Generate(words, 5), Generate(words, 5, tools=(SEARCH,))])
    (tokens,) = made.count([tools_text((SEARCH,))])
    assert tokens > 20
    assert 0 <= offered.truncated_tokens - plain.truncated_tokens - tokens <= 1
    (reply,) = reader("openai", server, max_input_tokens=20).reply([Generate("x", 5, tools=(SEARCH,))])
    assert reply.error is not None


def test_a_server_that_refuses_one_call_at_a_time_is_asked_without_it(server: ApiServer) -> None:
    refusal = json_answer({"error": {"message": "Unsupported parameter", "param": "parallel_tool_calls"}}, status=400)
    server.answer = lambda request, times: refusal if "parallel_tool_calls" in request.body else chat("Oslo")
    (reply,) = reader("openai", server).reply([Generate("who?", 5, tools=(SEARCH,))])
    assert reply.value == "Oslo"


@pytest.mark.parametrize(
    "words",
    [
        "registry.ollama.ai/library/m:latest does not support tools",
        '"auto" tool choice requires --enable-auto-tool-choice',
    ],
)
def test_a_model_that_takes_no_tools_ends_the_run_with_what_to_type(words: str, server: ApiServer) -> None:
    server.answer = lambda request, times: failure(400, words)
    with pytest.raises(UserError, match=r"m takes no tools .*: give strategy='agent:calls=text'"):
        reader("ollama", server).reply([Generate("who?", 5, tools=(SEARCH,))])
