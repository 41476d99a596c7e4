"""The tools of a reading agent, and calls in a model's reply: `SEARCH: words` on a line of its own, or a JSON object.

Written so that any text is read in time that grows with its length: nothing in it is a pattern or code.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from longdoc import plain_json
from models.tools import Tool

OFFERED_TOOLS = (
    Tool("search", "Shows passages about some words.", "query"),
    Tool("read", "Shows the passage with a number, 3, or the characters of a span, 1200-1900.", "passage"),
    Tool("grep", "Shows where exactly some words stand.", "words"),
    Tool("note", "Keeps a text for later steps.", "text"),
    Tool("answer", "Ends with this answer, written as it is asked for.", "text"),
)
TOOLS = tuple(tool.name for tool in OFFERED_TOOLS)
MAX_CHARACTERS = 1000  # of the words of a call that are used; those of an answer are all used
API_CALL = '{"tool": '  # how a line begins that is a call through an API
MAX_OBJECTS = 4  # JSON objects in a reply that are looked at

_CALL_LINE = re.compile(
    r"[\s>#*_`\-]{0,20}(?:\d{1,2}[.)]\s{1,3})?[*_`]{0,3}(?:(?:action|tool|call)\s{0,3}:[\s*_`]{0,5})?"
    r"([a-z][a-z_]{1,30})[*_`]{0,3}\s{0,3}[:：][*_`]{0,3}",
    re.IGNORECASE,
)
_NAME_KEYS = ("tool", "name", "action")
_NESTED_KEYS = ("arguments", "input", "parameters")
_TEXT_KEYS = ("query", "words", "text", "answer", "note", "passage", "number", "span")


@dataclass(frozen=True, slots=True)
class Call:
    """A call: the tool's name in lower case, which may be none of `TOOLS`, and its argument.

    `is_cut`: whether the argument was longer than what is used. `is_first_of_several`: whether there are more calls.
    `is_bare`: whether it is all of a reply that calls nothing.
    """

    tool: str
    argument: str
    is_cut: bool = False
    is_first_of_several: bool = False
    is_bare: bool = False


def first_call(reply: str) -> Call | None:
    """The first call in a reply; None where there is none.

    A name in capitals that is no tool's counts where the reply has no call of a tool: `BROWSE: page`.
    """
    lines = [line for line in reply.splitlines() if not line.lstrip().startswith("```")]
    heads = [(i, match) for i, line in enumerate(lines) if (match := _CALL_LINE.match(line))]
    known_heads = [(i, match) for i, match in heads if match[1].lower() in TOOLS]
    if not known_heads and (call := _json_call("\n".join(lines))):
        return call
    calls = known_heads or [(i, match) for i, match in heads if match[1].isupper() and len(match[1]) > 2]
    if not calls:
        return None
    (first, match), end = calls[0], calls[1][0] if len(calls) > 1 else len(lines)
    body = "\n".join([lines[first][match.end() :], *lines[first + 1 : end]])
    return _call(match[1], body, len(calls) > 1)


def api_call(reply: str) -> Call | None:
    """The first call that came through an API, as a line of JSON (`models.requests.Generate`); None without one."""
    lines = [line for line in reply.split("\n") if line.startswith(API_CALL)]
    try:
        value = plain_json.loads(lines[0]) if lines else None
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("tool"), str):
        return None
    call = _call(value["tool"], _api_argument(value.get("arguments")), False)
    return replace(call, is_first_of_several=len(lines) > 1)


def _api_argument(arguments: Any) -> str:
    """The argument among those of an API's call: of an object, a bare text or a number; "" for what is none."""
    if isinstance(arguments, Mapping):
        texts = [str(value) for value in arguments.values() if isinstance(value, str | int)]
        return _argument(arguments) or (texts[0] if len(texts) == 1 else "")
    text = str(arguments) if isinstance(arguments, str | int) else ""
    return "" if text.lstrip().startswith(("{", "[")) else text


def _call(name: str, body: str, is_first_of_several: bool) -> Call:
    """The call; an answer and a note have all of the text, other tools its first line that is not empty."""
    tool, text = name.lower(), body.strip()
    if tool not in ("answer", "note"):
        text = text.partition("\n")[0].strip(" \t*`\"'“”")
    is_cut = tool != "answer" and len(text) > MAX_CHARACTERS
    return Call(tool, text[:MAX_CHARACTERS] if is_cut else text, is_cut, is_first_of_several)


def _json_call(text: str) -> Call | None:
    """The first of the JSON objects in a text that is a call."""
    calls: list[Call] = []
    position = text.find("{")
    for _ in range(MAX_OBJECTS):
        if position < 0:
            break
        try:
            value, position = plain_json.first(text, position)
        except ValueError:
            position += 1
        else:
            calls += [call] if (call := _object_call(value)) else []
        position = text.find("{", position)
    return replace(calls[0], is_first_of_several=len(calls) > 1) if calls else None


def _object_call(value: Mapping[str, Any]) -> Call | None:
    """The call that an object is: its tool by name, and the argument beside it or in an object of its own."""
    nested = next((value[key] for key in _NESTED_KEYS if isinstance(value.get(key), Mapping)), None)
    names = (value[key] for key in _NAME_KEYS if isinstance(value.get(key), str) and value[key])
    name = next((name for name in names if name.lower() in TOOLS or nested is not None or "tool" in value), None)
    return _call(name[:MAX_CHARACTERS], _argument(value if nested is None else nested), False) if name else None


def _argument(value: Mapping[str, Any]) -> str:
    """The argument of a tool in an object: a span, or the text or number under a usual key."""
    if isinstance(value.get("start"), int) and isinstance(value.get("end"), int):
        return f"{value['start']}-{value['end']}"
    arguments = (value[key] for key in (*_TEXT_KEYS, *_NESTED_KEYS) if isinstance(value.get(key), str | int))
    return str(next(arguments, ""))
