"""Tools in the form of each API: how they are offered, and the calls in a reply as lines of JSON.

Sources: the types of the official clients (openai 3.52, `ChatCompletionFunctionToolParam`, `FunctionToolParam`;
anthropic 2.11, `ToolParam`, `ToolUseBlock`), and docs/api.md of ollama/ollama (section Tool calling).
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from longdoc import plain_json
from models.apis.sending.response import field_of, plain_text
from models.tools import Tool

LONGEST_NAME = 100  # characters of the name that a model calls
TOO_DEEP = "arguments that are nested too deeply"


def functions(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools for chat completions, and for Ollama's own API."""
    return [{"type": "function", "function": tool.function} for tool in tools]


def flat_functions(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools for the Responses API, which has no object of its own for the function."""
    return [{"type": "function", **tool.function, "strict": False} for tool in tools]


def input_schemas(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools for Anthropic's messages."""
    return [{"name": tool.name, "description": tool.description, "input_schema": tool.schema} for tool in tools]


def with_calls(text: str | None, calls: Sequence[Any]) -> str | None:
    """What a reply says, and each of its calls on a line of its own; None where it has neither.

    A call has `name` and `arguments` (or Anthropic's `input`): an object, or its JSON in a text.
    """
    lines = [call_line(field_of(call, "name"), _arguments(call)) for call in calls]
    return "\n".join(filter(None, (text, *lines))) if lines else text


def call_line(name: Any, arguments: Any) -> str:
    """A call as one line of JSON: `{"tool": NAME, "arguments": ARGUMENTS}`.

    Arguments in a text that holds no JSON stay that text.
    """
    if isinstance(arguments, str):
        with suppress(ValueError):
            arguments = plain_json.loads(arguments)
    elif plain_json.deeper(arguments, plain_json.DEEPEST):
        arguments = TOO_DEEP
    call = {"tool": name[:LONGEST_NAME] if isinstance(name, str) else "", "arguments": arguments}
    return plain_text(json.dumps(call, ensure_ascii=False))


def _arguments(call: Any) -> Any:
    arguments = field_of(call, "arguments")
    return field_of(call, "input") if arguments is None else arguments
