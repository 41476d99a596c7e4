"""Two values of a folder side by side: what its final files say, and what was made again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longdoc.plain_values import plain
from longdoc.plurals import counted
from pipelines.evaluation.verifying.check import Check
from pipelines.records import Prediction, record_of

LONGEST = 40  # characters of a value
NAMED = 3  # differences that are said


def check(name: str, problems: Sequence[str], agreed: str) -> Check:
    """What differs, the first of many named, or what agreed."""
    if not problems:
        return Check(name, "agrees", agreed)
    more = [f"and {len(problems) - NAMED:,} more"] if len(problems) > NAMED else []
    return Check(name, "differs", counted(len(problems), "difference"), (*problems[:NAMED], *more))


def prediction_differences(prediction: Prediction, again: Prediction, where: str) -> list[str]:
    """The fields in which two predictions differ, rows of metrics left out; the other one is from `where`."""
    one, other = (as_written(record_of(prediction)) for prediction in (prediction, again))
    return [
        f"{prediction.id}: {name} {short(one[name])} in predictions.jsonl, {short(other[name])} {where}"
        for name in one
        if name != "statistics" and one[name] != other[name]
    ]


def row_differences(prediction: Prediction, rows: Mapping[str, Mapping[str, float]], where: str) -> list[str]:
    """The metrics whose rows of a prediction are others than `rows`, which are from `where`."""
    return [
        f"{prediction.id}: {name} {short(prediction.statistics[name])} in predictions.jsonl, "
        f"{short(rows[name])} {where}"
        for name in rows
        if name in prediction.statistics and as_written(prediction.statistics[name]) != as_written(rows[name])
    ]


def value_differences(there: Mapping[str, Any], again: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """The names whose values differ, nested ones by their path. What `there` does not have is not compared."""
    return [
        line
        for name in names
        if name in there and name in again
        for line in _differences(name, as_written(there[name]), as_written(again[name]))
    ]


def _differences(at: str, there: Any, again: Any) -> list[str]:
    if isinstance(there, dict) and isinstance(again, dict):
        return [
            line for key in {**there, **again} for line in _differences(f"{at}.{key}", there.get(key), again.get(key))
        ]
    return [] if there == again else [f"{at} {short(there)} in scores.json, {short(again)} computed again"]


def as_written(value: Any) -> Any:
    """A value as a file has it: lists for tuples, texts for keys."""
    return json.loads(json.dumps(plain(value)))


def short(value: Any) -> str:
    """A value in a few characters."""
    text = "nothing" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
