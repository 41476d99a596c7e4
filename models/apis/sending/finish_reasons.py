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
ENDS_BY_WORD = {
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
FAILURES = {  # words that say that the output is not an answer, and why
    "error": "its server failed",
    "abort": "its server stopped it",
    "cancelled": "its server stopped it",
    "insufficient_system_resource": "its server had no capacity",
    "load": "its server only loaded the model",
    "unload": "its server only unloaded the model",
}


def end_of(reason: Any) -> str:
    """The finish reason for a server's word; no word counts as `stop`. Raises `TypeError` unless it is a string."""
    if reason is None or reason == "":
        return STOP
    if not isinstance(reason, str):
        raise TypeError(f"the finish reason must be a word, got {str(reason)[:100]}")
    return ENDS_BY_WORD.get(reason.lower(), UNKNOWN)


def common_reason(ends: Sequence[str]) -> str:
    """The finish reason of a reply with several outputs."""
    return next((end for end in ENDS if end in ends), STOP)


def unknown_words(reasons: Sequence[Any]) -> tuple[str, ...]:
    """The words of a server that are not known here."""
    return tuple(dict.fromkeys(plain_text(reason[:LONGEST_NAME]) for reason in reasons if end_of(reason) == UNKNOWN))


def problem_of(reason: Any) -> str:
    """Why an output is not an answer, by the word for its end; "" if it is one."""
    if not isinstance(reason, str):
        return ""
    if reason.lower() in TOOLS:
        return tool_call(())
    failure = FAILURES.get(reason.lower())
    return f"the reply is not an answer: {failure} (it ended with {reason!r})" if failure else ""


def tool_call(names: Sequence[Any]) -> str:
    """The error for a reply that calls tools instead of answering; longdoc never offers any."""
    tools = ", ".join(name[:100] for name in names if isinstance(name, str))
    return (
        f"the reply calls a tool{f' ({tools})' if tools else ''} instead of answering: switch off the server's tools, "
        "or take a model without tools"
    )
