"""The path of a reading agent through a document, from the note `path`: its steps, and a text with a line for each."""

from collections.abc import Mapping, Sequence
from typing import Any

from longdoc import plain_json, record_checks
from pipelines.strategies.shared.agent_path import PathStep

SPANS = 6  # spans that a line lists
CHARACTERS = 200  # of an argument or a result of a step
_is_pair = record_checks.row(record_checks.count, record_checks.count)


def path_text(note: str) -> str:
    """`SEARCH: words -> passages 3, 7 (characters 120-450, 900-1200)` for each step; other notes as they are."""
    records = _records(note)
    if records is None:
        return note
    return "\n".join(f"{number}. {_line(record)}" for number, record in enumerate(records, 1))


def path_steps(note: str) -> list[PathStep]:
    """The steps, tools in capitals and long texts cut; none for a note without any. Whatever is no span is left out."""
    return [_step(record) for record in _records(note) or ()]


def _records(note: str) -> list[Mapping[str, Any]] | None:
    try:
        steps = plain_json.loads(note)
    except plain_json.NotJSON:
        return None
    return steps if isinstance(steps, list) and all(isinstance(step, Mapping) for step in steps) else None


def _step(record: Mapping[str, Any]) -> PathStep:
    tool, argument, result = (_short_text(record.get(name, "")) for name in ("tool", "argument", "result"))
    spans = record.get("spans")
    pairs = [tuple(span) for span in spans if _is_span(span)] if isinstance(spans, list) else []
    return PathStep(tool.upper(), argument, tuple(pairs), result)


def _is_span(span: Any) -> bool:
    return _is_pair(span) and span[0] < span[1]


def _short_text(value: Any) -> str:
    text = " ".join(str(value).split())
    return text[:CHARACTERS] + "…" * (len(text) > CHARACTERS)


def _line(step: Mapping[str, Any]) -> str:
    call = f"{step.get('tool', '')}".upper() + f": {step.get('argument', '')}"
    spans = step.get("spans", [])
    return (
        f"{' '.join(call.split())} -> {step.get('result', '')}{_spans_text(spans) if isinstance(spans, list) else ''}"
    )


def _spans_text(spans: Sequence[Any]) -> str:
    pairs = ["–".join(map(str, span)) for span in spans if isinstance(span, list)]
    listed = ", ".join(pairs[:SPANS]) + ", …" * (len(pairs) > SPANS)
    return f" (characters {listed})" if pairs else ""
