"""The log of requests: the key of a request, the record of a reply, and the reply of a record."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

from longdoc import checked_json
from models.prompts import Part, Prompt
from models.requests import Classify, Compare, Fuse, Reply, Request, Score, SentPrompt
from pipelines.records import Span

VALUES = (checked_json.text, checked_json.number, checked_json.mapping(checked_json.number))
LIST_VALUES = (checked_json.each_item(checked_json.text), checked_json.each_item(checked_json.number))
FIELDS = {
    "key": checked_json.text,
    "value": lambda value: any(fits(value) for fits in (*VALUES, *LIST_VALUES)),
    "tokens_in": checked_json.count,
    "tokens_out": checked_json.count,
    "truncated_tokens": checked_json.count,
    "finish_reason": checked_json.text,
    "error": lambda value: value is None,  # a failed reply is not logged
}
SENT = ["least", "prefix", "tokens"]  # the fields of `SentPrompt`
COUNTS = ("cached_tokens", "cache_write_tokens", "reasoning_tokens")  # of tokens; left out where they are 0
OPTIONAL = {
    "thinking": checked_json.text,
    **dict.fromkeys(COUNTS, checked_json.count),
    "sent": lambda value: sorted(value) == SENT if isinstance(value, dict) else False,
    "served": checked_json.mapping(checked_json.each_item(checked_json.text)),
}
LINE_FIELDS = {"start": checked_json.count}
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_LOGGED_FIELDS = tuple(field.name for field in fields(Reply) if field.name != "greedy")


def key(identity: str, request: Request) -> str:
    """The key of a request: a digest of the reader's `identity`, the prompt with its structure, and decoding."""
    return _digest(identity, request, _structure)


def shown_key(identity: str, request: Request) -> str:
    """A key that is equal for requests that show a reader the same text, whatever was cut from it."""
    return _digest(identity, request, _shown_structure)


def _digest(identity: str, request: Request, structure: Callable[[Prompt], list[Any]]) -> str:
    """The SHA-256 of everything that decides a reply; `structure` gives what counts of a prompt."""
    if isinstance(request, Compare):
        content: list[Any] = ["compare", request.texts, request.pairs]
    elif isinstance(request, Classify):
        content = ["classify", *map(structure, prompts(request))]
    elif isinstance(request, Score):
        joined = ["joined"] if request.joined else []
        content = ["score", *map(structure, prompts(request)), request.continuation, *joined]
    else:
        decoding: list[Any] = [request.max_new_tokens, request.stop, request.n]
        content = ["generate", *map(structure, prompts(request)), decoding]
        if isinstance(request, Fuse):
            content = ["fuse", list(map(structure, prompts(request))), [*decoding, request.overlap]]
        elif request.choices:  # keys of others are as in earlier versions
            decoding.append(request.choices)
    text = _ENCODER.encode([identity, content])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _structure(prompt: Prompt) -> list[Any]:
    """The parts of a prompt and how it is cut, for `key`."""
    parts = [[part.role, part.text, part.rank, *_heading_and_gap(part)] for part in prompt.parts]
    cut = [setting for setting in (prompt.cut_at, prompt.cut_side) if setting not in ("word", "tail")]
    return [prompt.separator, prompt.truncated_tokens, parts, *cut]


def _shown_structure(prompt: Prompt) -> list[Any]:
    """The parts of a prompt that a reader is shown, for `shown_key`."""
    openings = zip(prompt.openings, prompt.visible_parts, strict=True)
    parts = [[part.role, part.text, part.rank, *([opening] if opening else [])] for opening, part in openings]
    return [prompt.separator, parts]


def _heading_and_gap(part: Part) -> list[Any]:
    """A part's title, heading and gap; empty where it has neither heading nor gap, as in keys of earlier versions."""
    return [part.title, part.heading, part.gap] if part.heading or part.gap is not None else []


def prompts(request: Request) -> list[Prompt]:
    """The prompts of a request; pairs of texts have none."""
    if isinstance(request, Compare):
        return []
    if isinstance(request, Fuse):
        return [Prompt.of(prompt) for prompt in request.prompts]
    return [Prompt.of(request.text if isinstance(request, Classify) else request.prompt)]


def spans(request: Request) -> list[Span]:
    """The spans of the document in a request's prompts."""
    return [span for prompt in prompts(request) for span in prompt.spans]


def answers_compare(value: Any) -> bool:
    """Whether the value of a reply, from a reader or from the log, answers a `Compare` request."""
    return isinstance(value, tuple | list) and len(value) > 0 and isinstance(value[0], float)


def check(record: Mapping[str, Any]) -> None:
    """Raise `Malformed` for a record that is not a reply's."""
    checked_json.check(record, FIELDS, OPTIONAL | LINE_FIELDS)


def record_of(reply: Reply) -> dict[str, Any]:
    """The record of a reply; optional fields only where they are not empty."""
    record = {name: getattr(reply, name) for name in _LOGGED_FIELDS} | {"sent": reply.sent and asdict(reply.sent)}
    return {name: value for name, value in record.items() if name not in OPTIONAL or value}


def reply_of(record: dict[str, Any]) -> Reply:
    """The reply of a record that passes `check`."""
    value = record["value"]
    names = ("tokens_in", "tokens_out", "truncated_tokens", "finish_reason", "error")
    served = {kind: tuple(servers) for kind, servers in record.get("served", {}).items()}
    return Reply(
        tuple(value) if isinstance(value, list) else value,
        **{name: record[name] for name in names},
        **{name: record.get(name, 0) for name in COUNTS},
        sent=SentPrompt(**record["sent"]) if "sent" in record else None,
        thinking=record.get("thinking", ""),
        served=served,
    )
