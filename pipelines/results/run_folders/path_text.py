"""The path of a reading agent through a document, from the note `path`: its steps, and a text with a line for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc import plain_json
from pipelines.records import Span

SPANS = 6  # spans that a line lists
CHARACTERS = 200  # of an argument or a result of a step


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """A step of the note `path`: its tool in capitals, the argument, the spans that it showed, and its result."""

    tool: str
    argument: str
    spans: tuple[Span, ...]
    result: str


def path_text(note: str) -> str:
    """`SEARCH: words -> passages 3, 7 (characters 120-450, 900-1200)` for each step; other notes as they are."""
    records = _records(note)
    if records is None:
        return note
    return "\n".join(f"{number}. {_line(record)}" for number, record in enumerate(records, 1))


def path_steps(note: str) -> list[LoggedStep]:
    """The steps, with long texts cut; none for a note that has none. Whatever is no span is left out."""
    return [_step(record) for record in _records(note) or ()]


def _records(note: str) -> list[Mapping[str, Any]] | None:
    try:
        steps = plain_json.loads(note)
    except plain_json.NotJSON:
        return None
    return steps if isinstance(steps, list) and all(isinstance(step, Mapping) for step in steps) else None


def _step(record: Mapping[str, Any]) -> LoggedStep:
    tool, argument, result = (_short_text(record.get(name, "")) for name in ("tool", "argument", "result"))
    spans = record.get("spans")
    pairs = [tuple(span) for span in spans if _is_span(span)] if isinstance(spans, list) else []
    return LoggedStep(tool.upper(), argument, tuple(pairs), result)


def _is_span(span: Any) -> bool:
    return (
        isinstance(span, list)
        and len(span) == 2
        and all(isinstance(place, int) and not isinstance(place, bool) for place in span)
        and 0 <= span[0] < span[1]
    )


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
