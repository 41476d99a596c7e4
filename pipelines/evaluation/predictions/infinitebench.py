"""∞Bench's files of predictions: `{id, prediction, ground_truth}`, one row an example (Zhang et al. 2024).

Its scorer also reads `pred` and `label`, and scores the rows as they stand, with the labels that they have. Their ids
are not always those of the benchmark's data: some count the rows of a larger release, and a few come twice.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.plurals import counted
from pipelines.evaluation import predictions
from pipelines.evaluation.predictions import GivenPrediction, PredictionFile, lara
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

ACCEPTS = "∞Bench's predictions (id, prediction or pred, ground_truth or label)"
OUTPUTS, LABELS = ("prediction", "pred"), ("ground_truth", "label")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is ∞Bench's; LaRA's have its fields too, and more."""
    is_given = _name(fields, OUTPUTS) is not None and _name(fields, LABELS) is not None
    return is_given and not lara.recognizes(fields)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row, with the labels that the file has; rows are numbered where their ids come twice."""
    all_rows = list(rows)
    expected = task.dataset.counts.get(task.split)
    ids = [row.fields.get("id") for row in all_rows]
    given_names = [str(number if name is None else name) for number, name in enumerate(ids)]
    is_separate, warnings, other_count = (
        len(set(given_names)) == len(given_names),
        _warnings(given_names, expected),
        _others_count(given_names, expected),
    )
    is_whole = len(given_names) == expected  # then the rows are in the order of the benchmark, whatever their ids count
    names = given_names if is_separate else [str(number) for number in range(len(given_names))]
    predictions = [_prediction_of(row, name) for row, name in zip(all_rows, names, strict=True)]
    by_order = all(name is None for name in ids) or (is_whole and (other_count > 0 or not is_separate))
    join_problem = (
        "" if is_separate or is_whole else "some ids come more than once, so it is not known whose predictions they are"
    )
    return PredictionFile(predictions, path.absolute().parent.name, expected, warnings, by_order, join_problem)


def _warnings(ids: Sequence[str], expected: int | None) -> list[str]:
    names = []
    if twice_names := [name for name, count in Counter(ids).items() if count > 1]:
        names.append(
            f"{counted(len(twice_names), 'id comes', 'ids come')} more than once, {twice_names[0]} first: "
            "every row counts, as in "
            "∞Bench's scorer"
        )
    if expected is not None and len(ids) > expected:
        names.append(f"there are {len(ids)} rows, and the benchmark has {expected} examples: of another release")
    elif other_count := _others_count(ids, expected):
        names.append(
            f"{counted(other_count, 'id is', 'ids are')} beyond the benchmark's {expected} examples: they "
            "count the rows of "
            "a larger release, and the labels may be those of that"
        )
    return names


def _others_count(ids: Sequence[str], expected: int | None) -> int:
    """How many ids are none of the benchmark's examples, which are counted from 0."""
    return sum(expected is not None and name.isdecimal() and int(name) >= expected for name in ids)


def _prediction_of(row: Row, name: str) -> GivenPrediction:
    output, label = _name(row.fields, OUTPUTS), _name(row.fields, LABELS)
    if output is None or label is None:
        raise row.refusal(f"not {ACCEPTS}")
    references = row.strings(label)
    if not references:
        raise UserError(f"{row.location}: {label} has no answer")
    example = Example(name, Document("", ""), references=references)  # the files do not say which book it is
    return GivenPrediction(example, *predictions.output(row.fields[output], row.location, output))


def _name(fields: Mapping[str, Any], known_names: Sequence[str]) -> str | None:
    return next((name for name in known_names if name in fields), None)
