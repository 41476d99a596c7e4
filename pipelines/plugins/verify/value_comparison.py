"""Compare values of final files with those from a log, or computed again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longdoc.messages import counted
from longdoc.plain_json import plain_value
from pipelines.plugins.verify.check import Check
from pipelines.records import Prediction, record_of

LONGEST = 40  # characters of a value
MAX_NAMED = 3  # differences that are listed


def check(name: str, problems: Sequence[str], description: str) -> Check:
    """A check with its first problems; without any it agrees, and `description` says on what."""
    if not problems:
        return Check(name, "agrees", description)
    rest = [f"and {len(problems) - MAX_NAMED:,} more"] if len(problems) > MAX_NAMED else []
    return Check(name, "differs", counted(len(problems), "difference"), (*problems[:MAX_NAMED], *rest))


def prediction_differences(prediction: Prediction, other_prediction: Prediction, location: str) -> list[str]:
    """The fields in which two predictions differ, except the rows of metrics; the second one is from `location`."""
    value, other = written_value(record_of(prediction)), written_value(record_of(other_prediction))
    return [
        f"{prediction.id}: {name} {short(value[name])} in predictions.jsonl, {short(other.get(name))} {location}"
        for name in value
        if name != "statistics" and value[name] != other.get(name)
    ]


def row_differences(prediction: Prediction, rows: Mapping[str, Mapping[str, float]], location: str) -> list[str]:
    """The metrics whose rows of a prediction differ from `rows`, which are from `location`."""
    return [
        f"{prediction.id}: {name} {short(prediction.statistics[name])} in predictions.jsonl, "
        f"{short(rows[name])} {location}"
        for name in rows
        if name in prediction.statistics and written_value(prediction.statistics[name]) != written_value(rows[name])
    ]


def value_differences(stored: Mapping[str, Any], fields: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """The differences between two mappings by name, nested ones by path; names missing from `stored` do not count."""
    return [
        line
        for name in names
        if name in stored and name in fields
        for line in _differences(name, written_value(stored[name]), written_value(fields[name]))
    ]


def _differences(location: str, stored: Any, value: Any) -> list[str]:
    if isinstance(stored, dict) and isinstance(value, dict):
        return [
            line
            for key in {**stored, **value}
            for line in _differences(f"{location}.{key}", stored.get(key), value.get(key))
        ]
    return [] if stored == value else [f"{location} {short(stored)} in scores.json, {short(value)} computed again"]


def written_value(value: Any) -> Any:
    """A value as it is read back from JSON: lists for tuples, strings for keys."""
    return json.loads(json.dumps(plain_value(value)))


def short(value: Any) -> str:
    """A value in a few characters."""
    text = "nothing" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
