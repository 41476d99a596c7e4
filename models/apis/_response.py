"""What a server behind an API said to a request, and the reply that this makes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from models.reasoning import visible
from models.requests import Generate, Reply


@dataclass(frozen=True, slots=True)
class Said:
    """What a server said: texts as they came, `stop` | `length` | `refusal`; tokens are None where it counts none."""

    texts: tuple[str, ...]
    finish_reason: str
    tokens_in: int | None
    tokens_out: int | None
    model: str | None = None
    fingerprint: str | None = None


class Unanswered(Exception):
    """A reply that holds no output; the message says why."""

    def __init__(self, problem: str, said: Said | None = None) -> None:
        super().__init__(problem)
        self.said = said  # it may have been paid for


def whole_number(value: Any) -> int | None:
    """A token count that a server sent, None if it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def not_json(response: Any, url: str) -> Unanswered:
    """The error for an answer that is not of the API's form, as pages of proxies and of wrong addresses are not."""
    if told := getattr(response, "error", None):  # some servers send errors with the status of success
        return Unanswered(f"{url} answered with an error: {told}")
    what = "HTML" if isinstance(response, str) and "<html" in response[:1000].lower() else "something else"
    return Unanswered(f"{url} answered with {what} instead of the API's JSON: is base_url right?")


def reply_of(said: Sequence[Said], request: Generate, truncated_tokens: int) -> Reply:
    """The reply to a request: `<think>` blocks taken out, ended before the first stop string."""
    raw = [text for one in said for text in one.texts][: request.n]
    shown = [visible(text) for text in raw]
    values = [_before(text, request.stop) for text in shown]
    reasons = {one.finish_reason for one in said}
    ended = "stop" if values != shown else next((one for one in ("refusal", "length") if one in reasons), "stop")
    return Reply(
        value=values[0] if request.n == 1 else tuple(values),
        tokens_in=tokens_in(said),
        tokens_out=tokens_out(said),
        truncated_tokens=truncated_tokens,
        finish_reason=ended,
        raw=None if shown == raw else "\n\n".join(raw),
        served=served(said),
    )


def tokens_in(said: Sequence[Said]) -> int:
    """Prompt tokens of several replies."""
    return sum(one.tokens_in or 0 for one in said)


def tokens_out(said: Sequence[Said]) -> int:
    """Tokens that several replies hold."""
    return sum(one.tokens_out or 0 for one in said)


def served(said: Sequence[Said]) -> dict[str, tuple[str, ...]]:
    """The names that the server gave itself, by kind."""
    found = {"models": {one.model for one in said}, "fingerprints": {one.fingerprint for one in said}}
    named = {kind: tuple(sorted(name for name in names if isinstance(name, str))) for kind, names in found.items()}
    return {kind: names for kind, names in named.items() if names}


def _before(text: str, stop: Sequence[str]) -> str:
    """The text before the first stop string: not every server ends there."""
    return text[: min((at for one in stop if one and (at := text.find(one)) >= 0), default=len(text))]
