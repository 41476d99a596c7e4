"""The log of requests: the key of a request, the record of a reply, and the reply of a record."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, astuple, fields
from typing import Any

from longdoc import record_checks
from models.prompts import Part, Prompt
from models.requests import Classify, Compare, Fuse, Generate, Reply, Request, Score, SentPrompt
from pipelines.records import Span

VALUES = (record_checks.text, record_checks.number, record_checks.mapping(record_checks.number))
VALUES_OF_MANY = (record_checks.each_item(record_checks.text), record_checks.each_item(record_checks.number))
FIELDS = {
    "key": record_checks.text,
    "value": lambda value: any(fits(value) for fits in (*VALUES, *VALUES_OF_MANY)),
    "tokens_in": record_checks.count,
    "tokens_out": record_checks.count,
    "truncated_tokens": record_checks.count,
    "finish_reason": record_checks.text,
    "error": lambda value: value is None,  # a failed reply is not logged
}
SENT = ["least", "prefix", "tokens"]  # the fields of `SentPrompt`
COUNTS = ("cached_tokens", "cache_write_tokens", "reasoning_tokens")  # of tokens; left out where they are 0
OPTIONAL = {
    "thinking": record_checks.text,
    **dict.fromkeys(COUNTS, record_checks.count),
    "sent": lambda value: sorted(value) == SENT if isinstance(value, dict) else False,
    "served": record_checks.mapping(record_checks.each_item(record_checks.text)),
}
LINE_VALUES = {"start": record_checks.count}
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_LOGGED = tuple(field.name for field in fields(Reply) if field.name != "greedy")


def key(identity: str, request: Request) -> str:
    """The key of a request: a digest of the reader's `identity`, the prompt with its structure, and decoding."""
    return _digest(identity, request, _structure)


def shown_key(identity: str, request: Request) -> str:
    """Equal for requests that show a reader the same: how much was cut from the prompt before is left out."""
    return _digest(identity, request, _shown_values)


def _digest(identity: str, request: Request, structure: Callable[[Prompt], list[Any]]) -> str:
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
        if isinstance(request, Generate) and request.tools:
            decoding.append([astuple(tool) for tool in request.tools])
    text = _ENCODER.encode([identity, content])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _structure(prompt: Prompt) -> list[Any]:
    parts = [[part.role, part.text, part.rank, *_under(part)] for part in prompt.parts]
    cut = [value for value in (prompt.cut_at, prompt.cut_side) if value not in ("word", "tail")]
    return [prompt.separator, prompt.truncated_tokens, parts, *cut]


def _shown_values(prompt: Prompt) -> list[Any]:
    openings = zip(prompt.openings, prompt.visible_parts, strict=True)
    parts = [[part.role, part.text, part.rank, *([opening] if opening else [])] for opening, part in openings]
    return [prompt.separator, parts]


def _under(part: Part) -> list[Any]:
    """A part's heading and gap, for the few that have any: keys of others are as in earlier versions."""
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


def compared(value: Any) -> bool:
    """Whether a value, from a reader or from the log, answers `Compare`."""
    return isinstance(value, tuple | list) and len(value) > 0 and isinstance(value[0], float)


def check(record: Mapping[str, Any]) -> None:
    """Raise `Malformed` for a record that is not of a reply."""
    record_checks.check(record, FIELDS, OPTIONAL | LINE_VALUES)


def logged(reply: Reply) -> dict[str, Any]:
    """The record of a reply; what is optional only where there is any."""
    values = {name: getattr(reply, name) for name in _LOGGED} | {"sent": reply.sent and asdict(reply.sent)}
    return {name: value for name, value in values.items() if name not in OPTIONAL or value}


def reply_of(record: dict[str, Any]) -> Reply:
    """The reply of a record that passes `check`."""
    value = record["value"]
    fields = {key: record[key] for key in ("tokens_in", "tokens_out", "truncated_tokens", "finish_reason", "error")}
    counts = {name: record.get(name, 0) for name in COUNTS}
    served = {kind: tuple(names) for kind, names in record.get("served", {}).items()}
    return Reply(
        tuple(value) if isinstance(value, list) else value,
        **fields,
        **counts,
        sent=SentPrompt(**record["sent"]) if "sent" in record else None,
        thinking=record.get("thinking", ""),
        served=served,
    )
