"""The parts of a chat completion in OpenAI's form: answers, thinking and token counts.

Servers differ in where they put what a model thinks: in `reasoning` (vLLM, OpenRouter, Ollama), `reasoning_content`
(DeepSeek, SGLang, llama.cpp, vLLM before 0.11) or `reasoning_details` (OpenRouter), or beside the answer in a list of
parts (Mistral).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from models.apis.sending import finish_reasons
from models.apis.sending.response import error_in, field_of, whole_number

THINKING_FIELDS = ("reasoning", "reasoning_content")  # some servers send both, with the same content
DETAIL_FIELDS = ("text", "summary")  # of OpenRouter's details; what is encrypted has neither


@dataclass(frozen=True, slots=True)
class Message:
    """A choice's answer (None if it has none) and thinking. `there`: whether there is a message at all."""

    text: str | None
    thinking: str
    there: bool


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of a completion, None or 0 where the server sends none.

    No part is larger than its sum: `cached` and `cache_write` of `prompt`, `reasoning` of `written`.
    """

    prompt: int | None
    written: int | None
    cached: int
    cache_write: int
    reasoning: int


def message_of(choice: Any) -> Message:
    """The message of a choice; its text is None if it has no answer, refusal or thinking."""
    message = field_of(choice, "message")
    content = field_of(message, "content")
    thinking = _thinking_field(message)
    if isinstance(content, list):
        content, thinking_parts = _parts(content)
        thinking = "\n\n".join(filter(None, (thinking, thinking_parts)))
    if not isinstance(content, str):
        content = field_of(message, "refusal")
    if not isinstance(content, str):
        content = "" if thinking else None
    return Message(content, thinking, message is not None)


def failure_in(choice: Any) -> str:
    """Why a choice is not an answer: an error (OpenRouter's) or a tool call; "" if it is one."""
    if error := error_in(choice):
        return f"the reply is an error: {error}"
    if calls := _calls(field_of(choice, "message")):
        return finish_reasons.tool_call([field_of(call, "name") for call in calls])
    return finish_reasons.problem_of(field_of(choice, "finish_reason"))


def usage_of(usage: Any) -> Usage:
    """The token counts of a completion."""
    prompt, written = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    hit = _count(usage, "prompt_cache_hit_tokens")  # DeepSeek's, as the next
    miss = _count(usage, "prompt_cache_miss_tokens")
    if prompt is None and hit is not None and miss is not None:
        prompt = hit + miss
    cached = _detail(usage, "prompt_tokens_details", "cached_tokens") or hit or 0
    cached = _at_most(cached, prompt)
    cache_write = _detail(usage, "prompt_tokens_details", "cache_write_tokens")  # OpenRouter's name
    reasoning = _detail(usage, "completion_tokens_details", "reasoning_tokens")
    if prompt is not None and written is not None:
        extra = (_count(usage, "total_tokens") or 0) - prompt - written
        if extra > 0 and extra == reasoning:  # a server (xAI's) that counts thinking beside the answer
            written += extra
        elif extra > 0 and not reasoning and extra != cached:  # one (Gemini's) that only has it in the sum
            written, reasoning = written + extra, extra
    return Usage(
        prompt,
        written,
        cached,
        _at_most(cache_write, None if prompt is None else prompt - cached),
        _at_most(reasoning, written),
    )


def seconds_of(timings: Any) -> float | None:
    """The seconds that llama.cpp's server took for a prompt and its output; None where it does not say."""
    parts = [field_of(timings, name) for name in ("prompt_ms", "predicted_ms")]
    if not all(isinstance(part, int | float) and 0 <= part < math.inf for part in parts):
        return None
    return float(sum(parts)) / 1_000


def _calls(message: Any) -> tuple[Any, ...]:
    """The functions that a message calls, in the form of today or the older single `function_call`."""
    calls = field_of(message, "tool_calls")
    functions = [field_of(call, "function") for call in calls] if isinstance(calls, list) else []
    return tuple(functions) or tuple(filter(None, [field_of(message, "function_call")]))


def _thinking_field(message: Any) -> str:
    """The thinking that a message has in a field of its own; "" if it has none."""
    for name in THINKING_FIELDS:
        if isinstance(thinking := field_of(message, name), str) and thinking.strip():
            return thinking.strip()
    details = field_of(message, "reasoning_details")
    texts = [_text(detail, DETAIL_FIELDS) for detail in details] if isinstance(details, list) else []
    return "\n\n".join(filter(None, (text and text.strip() for text in texts)))


def _parts(content: list[Any]) -> tuple[str | None, str]:
    """The answer and the thinking in a list of parts; parts of other types are left out."""
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content:
        inner = part.get("thinking") if isinstance(part, Mapping) else None
        pieces = inner if isinstance(inner, list) else [{"text": inner}]
        thoughts += [text for piece in pieces if (text := _text(piece, ("text",)))]
        if inner is None and isinstance(text := _text(part, ("text",)), str):
            texts.append(text)
    return "".join(texts) if texts else None, "".join(thoughts).strip()


def _text(record: Any, names: tuple[str, ...]) -> str | None:
    """The first text that a record has under one of the names."""
    values = (record.get(name) for name in names) if isinstance(record, Mapping) else ()
    return next((value for value in values if isinstance(value, str)), None)


def _count(usage: Any, name: str) -> int | None:
    return whole_number(field_of(usage, name))


def _detail(usage: Any, group: str, name: str) -> int:
    return whole_number(field_of(field_of(usage, group), name)) or 0


def _at_most(part: int, whole: int | None) -> int:
    return part if whole is None else min(part, whole)
