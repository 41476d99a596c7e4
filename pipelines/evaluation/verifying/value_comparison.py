"""Two values of a folder side by side: what its final files say, and what was made again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longdoc.plain_values import plain_value
from longdoc.plurals import counted
from pipelines.evaluation.verifying.check import Check
from pipelines.records import Prediction, record_of

LONGEST = 40  # characters of a value
MAX_NAMED = 3  # differences that are said


def check(name: str, problems: Sequence[str], agreed_text: str) -> Check:
    """What differs, the first of many named, or what agreed."""
    if not problems:
        return Check(name, "agrees", agreed_text)
    more_names = [f"and {len(problems) - MAX_NAMED:,} more"] if len(problems) > MAX_NAMED else []
    return Check(name, "differs", counted(len(problems), "difference"), (*problems[:MAX_NAMED], *more_names))


def prediction_differences(prediction: Prediction, repeated_prediction: Prediction, location: str) -> list[str]:
    """The fields in which two predictions differ, rows of metrics left out; the other one is from `location`."""
    value, other = (written_value(record_of(prediction)) for prediction in (prediction, repeated_prediction))
    return [
        f"{prediction.id}: {name} {short(value[name])} in predictions.jsonl, {short(other.get(name))} {location}"
        for name in value
        if name != "statistics" and value[name] != other.get(name)
    ]


def row_differences(prediction: Prediction, rows: Mapping[str, Mapping[str, float]], location: str) -> list[str]:
    """The metrics whose rows of a prediction are others than `rows`, which are from `location`."""
    return [
        f"{prediction.id}: {name} {short(prediction.statistics[name])} in predictions.jsonl, "
        f"{short(rows[name])} {location}"
        for name in rows
        if name in prediction.statistics and written_value(prediction.statistics[name]) != written_value(rows[name])
    ]


def value_differences(present_fields: Mapping[str, Any], fields: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """The names whose values differ, nested ones by their path. What `present_fields` does not have is not compared."""
    return [
        line
        for name in names
        if name in present_fields and name in fields
        for line in _differences(name, written_value(present_fields[name]), written_value(fields[name]))
    ]


def _differences(location: str, present_value: Any, value: Any) -> list[str]:
    if isinstance(present_value, dict) and isinstance(value, dict):
        return [
            line
            for key in {**present_value, **value}
            for line in _differences(f"{location}.{key}", present_value.get(key), value.get(key))
        ]
    return (
        []
        if present_value == value
        else [f"{location} {short(present_value)} in scores.json, {short(value)} computed again"]
    )


def written_value(value: Any) -> Any:
    """A value as a file has it: lists for tuples, texts for keys."""
    return json.loads(json.dumps(plain_value(value)))


def short(value: Any) -> str:
    """A value in a few characters."""
    text = "nothing" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
