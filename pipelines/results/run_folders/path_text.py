"""The path of a reading agent through a document, from the note `path`, a step a line."""

from collections.abc import Mapping, Sequence
from typing import Any

from longdoc import plain_json

SPANS = 6  # spans that a line lists


def path_text(note: str) -> str:
    """`SEARCH: words -> passages 3, 7 (characters 120-450, 900-1200)` for each step; other notes as they are."""
    try:
        steps = plain_json.loads(note)
    except plain_json.NotJSON:
        return note
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        return note
    return "\n".join(f"{number}. {_line(step)}" for number, step in enumerate(steps, 1))


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
