"""Why an output ended, in the words of servers and in those of a reply: `stop`, `length`, `refusal` or `unknown`.

The words are of OpenAI's API, vLLM, SGLang, llama.cpp, TGI, OpenRouter, Mistral, DeepSeek, Cohere, Google, Anthropic
and Ollama. One that is not here is no `stop`: the output is kept, and the run says how many ended so and with which
words.
"""

from collections.abc import Sequence
from typing import Any

from models.apis.sending.response import ENDS, LONGEST_NAME, plain_text

STOP, LENGTH, REFUSAL, UNKNOWN = "stop", "length", "refusal", "unknown"
TOOLS = ("tool_calls", "tool_use", "tool_call", "function_call")
KNOWN_VALUES = {
    **dict.fromkeys(TOOLS, STOP),
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed"), STOP),
    **dict.fromkeys(
        (
            "length",
            "max_tokens",
            "max_output_tokens",
            "max_length",
            "model_length",
            "model_context_window_exceeded",
        ),
        LENGTH,
    ),
    **dict.fromkeys(
        ("content_filter", "content-filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist"),
        REFUSAL,
    ),
}
BROKEN_VALUES = {  # words for an output that is none
    "error": "its server failed",
    "abort": "its server gave it up",
    "cancelled": "its server gave it up",
    "insufficient_system_resource": "its server had no room",
    "load": "its server only loaded the model",
    "unload": "its server only put the model away",
}


def end_of(reason: Any) -> str:
    """The reply's word for a server's; no word at all counts as `stop`. Raises `TypeError` for what is no word."""
    if reason is None or reason == "":
        return STOP
    if not isinstance(reason, str):
        raise TypeError(f"a finish reason that is no word: {str(reason)[:100]}")
    return KNOWN_VALUES.get(reason.lower(), UNKNOWN)


def common_reason(ends: Sequence[str]) -> str:
    """The word for several outputs."""
    return next((end for end in ENDS if end in ends), STOP)


def unknown_words(reasons: Sequence[Any]) -> tuple[str, ...]:
    """Those of a server's words that are not known here."""
    return tuple(dict.fromkeys(plain_text(reason[:LONGEST_NAME]) for reason in reasons if end_of(reason) == UNKNOWN))


def problem_of(reason: Any, has_tools: bool = False) -> str:
    """Why an output is none, as the word for its end says; empty where it is one.

    A call of a tool is one where the request `has_tools`.
    """
    if not isinstance(reason, str):
        return ""
    if reason.lower() in TOOLS:
        return "" if has_tools else tool_call(())
    broken_text = BROKEN_VALUES.get(reason.lower())
    return f"the reply is no answer, {broken_text} (it ended with {reason!r})" if broken_text else ""


def tool_call(names: Sequence[Any]) -> str:
    """The problem of a reply that calls tools in place of an answer: none were offered."""
    named_text = ", ".join(name[:100] for name in names if isinstance(name, str))
    return (
        f"the reply calls a tool{f' ({named_text})' if named_text else ''} and is no answer: no tool was "
        "offered, so switch off "
        "those of the server, or take a model without"
    )
