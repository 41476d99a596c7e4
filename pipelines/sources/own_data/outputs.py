"""Files of predictions or references, for scoring alone.

A JSON object of id to text(s); JSON Lines or a JSON list of objects with `id` and one of `prediction`, `references`,
`answers`, `answer`, `output`, or of texts; or plain text, one output per line. Of a row that has several of them (a
run's own), predictions are read from its `prediction`, references from its `references`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from longdoc.errors import UserError
from pipelines.sources import json_rows, reading
from pipelines.sources.parsing import string

Side = Literal["predictions", "references"]
_GOLDS = ("references", "answers", "answer", "output")
FIELDS: dict[Side, tuple[str, ...]] = {"predictions": ("prediction", *_GOLDS), "references": (*_GOLDS, "prediction")}
Outputs = dict[str, tuple[str, ...]] | list[tuple[str, ...]]


def read_outputs(path: Path, side: Side) -> Outputs:
    """The outputs of a file, by id where it has ids, else in order. Raises `UserError` with file and line.

    A null output is refused: it is a hidden label, or an example that failed.
    """
    if path.suffix not in (".json", ".jsonl"):
        return [(line.rstrip("\r\n"),) for line in reading.lines(path)]
    values = list(json_rows.values(path))
    if len(values) == 1 and isinstance(values[0][1], dict) and not set(FIELDS[side]) & values[0][1].keys():
        return {name: _texts(value, f"{path.name}: {name}", "output") for name, value in values[0][1].items()}
    rows = list(_rows(path, values, side))
    names = [name for name, _ in rows]
    if all(name is None for name in names):
        return [outputs for _, outputs in rows]
    if None in names or len(set(names)) < len(names):
        raise UserError(f"{path.name}: some rows have no id, or an id comes twice; give every row one of its own")
    return {str(name): outputs for name, outputs in rows}


def _rows(path: Path, values: list[tuple[int, Any]], side: Side) -> Iterator[tuple[str | None, tuple[str, ...]]]:
    for line, value in values:
        location = f"{path.name}:{line}"
        if not isinstance(value, dict):
            yield None, _texts(value, location, "output")
            continue
        field = next((name for name in FIELDS[side] if name in value), None)
        if field is None:
            raise UserError(
                f"{location}: a row needs one of {', '.join(FIELDS[side])}; this one has {', '.join(value)}"
            )
        name = value.get("id")
        yield None if name is None else str(name), _texts(value[field], location, field)


def _texts(value: Any, location: str, field: str) -> tuple[str, ...]:
    """One text or a list of texts; an empty text is an output like any other."""
    values = value if isinstance(value, list) else [value]
    if None in values:
        raise UserError(f"{location}: {field} is null, which cannot be scored; leave the row out, or fill it in")
    return tuple(string(value, location, field) for value in values)
