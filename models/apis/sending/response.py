"""A server's response to a request, and the reply made of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from models.apis._schemas import SCHEMA, bare_label
from models.apis.sending.keys import without_key
from models.requests import Generate, Reply, SentPrompt
from models.thinking import split
from models.word_reader import before

MOST_TOKENS = 2**53  # beyond it a count is none: what is computed of it would be none, either
LONGEST_NAME = 500  # characters
ENDS = ("refusal", "length", "unknown")  # what a reply is said to have ended with, where its outputs differ
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """The outputs of one response; `finish_reason` is stop, length, refusal or unknown; token counts may be None.

    `thinking` is what the server sends apart from the outputs, `ends` are its words for ends that are not known here.
    """

    texts: tuple[str, ...]
    finish_reason: str
    tokens_in: int | None
    tokens_out: int | None
    thinking: str = ""
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    ends: tuple[str, ...] = ()
    sent: SentPrompt | None = None  # where the server counted the prompt's tokens
    model: str | None = None
    fingerprint: str | None = None
    server: str | None = None  # of several, the address
    changes: tuple[str, ...] = ()  # how what the server has differs from what it had at the start
    version: str | None = None
    choices: str | None = None  # how the server was asked for one of the request's choices; None: it has none
    seconds: float | None = None  # that the server worked for it, where it says so

    def without(self, key: str) -> "ApiResponse":
        """The same without the key, should the server send it back."""
        model, fingerprint = (text and without_key(text, key) for text in (self.model, self.fingerprint))
        texts = tuple(without_key(text, key) for text in self.texts)
        thinking = without_key(self.thinking, key)
        ends = tuple(without_key(word, key) for word in self.ends)
        return replace(self, texts=texts, thinking=thinking, ends=ends, model=model, fingerprint=fingerprint)


class Unanswered(Exception):
    """A reply that holds no output; the message says why."""

    def __init__(self, problem: str, response: ApiResponse | None = None) -> None:
        super().__init__(problem)
        self.response = response  # it may have been billed


class Awaited(Exception):
    """Raised for a request whose response comes another way (a batch file) and is not there yet."""


def whole_number(value: Any) -> int | None:
    """A token count that a server sent; None unless it is a whole number. JSON has one kind of numbers: 5.0 is 5."""
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return int(value) if is_whole and not isinstance(value, bool) and 0 <= value < MOST_TOKENS else None


def name(value: Any) -> str | None:
    """A name in a server's response; None unless it is a string."""
    return plain_text(value[:LONGEST_NAME]) if isinstance(value, str) else None


def plain_text(text: str) -> str:
    """A text with lone surrogates replaced, which no file can hold."""
    return _SURROGATE.sub("\ufffd", text)


def content_of(response: Any) -> Any:
    """The JSON of an HTTP response; its text where that is no JSON and does not claim to be.

    Raises `ValueError`, and `RecursionError` for JSON that is nested too deeply.
    """
    try:
        return response.json()
    except (ValueError, RecursionError):
        if "json" in response.headers.get("content-type", ""):
            raise
        return response.text


def error_in(response: Any) -> str:
    """The error in an answer with the status of success, as some gateways send; empty where there is none."""
    error = field_of(response, "error")
    message = field_of(error, "message")
    return message if isinstance(message, str) and message else str(error or "")


def field_of(record: Any, name: str) -> Any:
    """A field of a record; None if it is missing or `record` is not a dict."""
    return record.get(name) if isinstance(record, dict) else None


def not_json(response: Any, url: str) -> Unanswered:
    """The error for an answer that is not the API's JSON, such as a proxy's page."""
    if message := error_in(response):
        return Unanswered(f"{url} answered with an error: {message}")
    description = "HTML" if isinstance(response, str) and "<html" in response[:1000].lower() else "something else"
    return Unanswered(f"{url} answered with {description} instead of the API's JSON: is base_url right?")


def reply_of(responses: Sequence[ApiResponse], request: Generate, truncated_tokens: int) -> Reply:
    """The reply to a request: thinking taken out, answers ended before the first stop string."""
    outputs = [split(text) for response in responses for text in response.texts][: request.n]
    answers = [answer for _, answer in outputs]
    if any(response.choices == SCHEMA for response in responses):
        answers = [bare_label(answer, request.choices) for answer in answers]
    cut_answers = [before(text, request.stop) for text in answers]
    reasons = {response.finish_reason for response in responses}
    finish_reason = "stop" if cut_answers != answers else next((end for end in ENDS if end in reasons), "stop")
    thoughts = [*(response.thinking for response in responses), *(thinking for thinking, _ in outputs)]
    return Reply(
        value=cut_answers[0] if request.n == 1 else tuple(cut_answers),
        tokens_in=tokens_in(responses),
        tokens_out=tokens_out(responses),
        truncated_tokens=truncated_tokens,
        finish_reason=finish_reason,
        thinking="\n\n".join(filter(None, thoughts)),
        cached_tokens=sum(response.cached_tokens for response in responses),
        cache_write_tokens=sum(response.cache_write_tokens for response in responses),
        reasoning_tokens=sum(response.reasoning_tokens for response in responses),
        sent=responses[0].sent if len(responses) == 1 else None,
        served=served(responses),
    )


def tokens_in(responses: Sequence[ApiResponse]) -> int:
    """Prompt tokens of several replies."""
    return sum(response.tokens_in or 0 for response in responses)


def tokens_out(responses: Sequence[ApiResponse]) -> int:
    """Output tokens of several replies."""
    return sum(response.tokens_out or 0 for response in responses)


def served(responses: Sequence[ApiResponse]) -> dict[str, tuple[str, ...]]:
    """The names that servers reported, by kind; for several servers also addresses and versions.

    Among them are its words for ends of outputs that are not known here, and how it was asked for one of the choices.
    """
    names: dict[str, set[str | None]] = {
        "models": {response.model for response in responses},
        "fingerprints": {response.fingerprint for response in responses},
        "servers": {response.server for response in responses},
        "versions": {response.version for response in responses},
        "changes": {change for response in responses for change in response.changes},
        "finish_reasons": {word for response in responses for word in response.ends},
        "choices": {response.choices for response in responses},
    }
    sorted_names = {
        kind: tuple(sorted(name for name in names if isinstance(name, str))) for kind, names in names.items()
    }
    return {kind: names for kind, names in sorted_names.items() if names}
