"""∞Bench's files of predictions: `{id, prediction, ground_truth}`, one row an example (Zhang et al. 2024).

Its scorer also reads `pred` and `label`, and scores the rows as they stand, with the labels that they have. Their ids
are not always those of the benchmark's data: some count the rows of a larger release, and a few come twice.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.benchmarks.lara import predictions as lara
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

ACCEPTS = "∞Bench's predictions (id, prediction or pred, ground_truth or label)"
OUTPUTS, LABELS = ("prediction", "pred"), ("ground_truth", "label")
REPEATED_IDS = "some ids come more than once, so it is not known whose predictions they are"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is ∞Bench's; LaRA's have its fields too, and more."""
    has_both = _first_key(fields, OUTPUTS) is not None and _first_key(fields, LABELS) is not None
    return has_both and not lara.recognizes(fields)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row, with the labels that the file has; rows are numbered where their ids come twice."""
    row_list = list(rows)
    expected = task.dataset.counts.get(task.split)
    has_ids = any(row.fields.get("id") is not None for row in row_list)
    ids = [str(row.fields["id"] if row.fields.get("id") is not None else number) for number, row in enumerate(row_list)]
    are_distinct = len(set(ids)) == len(ids)
    is_complete = len(ids) == expected  # then the rows are in the order of the benchmark, whatever their ids count
    names = ids if are_distinct else [str(number) for number in range(len(ids))]
    return PredictionFile(
        [_prediction_of(row, name) for row, name in zip(row_list, names, strict=True)],
        path.absolute().parent.name,
        expected,
        _warnings(ids, expected),
        by_order=not has_ids or (is_complete and (not are_distinct or _unknown_count(ids, expected) > 0)),
        not_joined="" if are_distinct or is_complete else REPEATED_IDS,
    )


def _warnings(ids: Sequence[str], expected: int | None) -> list[str]:
    """What is unusual about the ids of a file."""
    warnings = []
    if repeated := [name for name, count in Counter(ids).items() if count > 1]:
        warnings.append(
            f"{counted(len(repeated), 'id comes', 'ids come')} more than once, {repeated[0]} first: "
            "every row counts, as in ∞Bench's scorer"
        )
    if expected is not None and len(ids) > expected:
        warnings.append(f"there are {len(ids)} rows, and the benchmark has {expected} examples: of another release")
    elif unknown_count := _unknown_count(ids, expected):
        warnings.append(
            f"{counted(unknown_count, 'id is', 'ids are')} beyond the benchmark's {expected} examples: they "
            "count the rows of a larger release, and the labels may be those of that"
        )
    return warnings


def _unknown_count(ids: Sequence[str], expected: int | None) -> int:
    """Number of ids that are not those of the benchmark's examples, which count from 0."""
    return sum(expected is not None and name.isdecimal() and int(name) >= expected for name in ids)


def _prediction_of(row: Row, name: str) -> GivenPrediction:
    output, label = _first_key(row.fields, OUTPUTS), _first_key(row.fields, LABELS)
    if output is None or label is None:
        raise row.refusal(f"expected {ACCEPTS}")
    references = row.strings(label)
    if not references:
        raise UserError(f"{row.location}: {label} has no answer")
    example = Example(name, Document("", ""), references=references)  # the files do not say which book it is
    return GivenPrediction(example, *predictions.output(row.fields[output], row.location, output))


def _first_key(fields: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    return next((key for key in keys if key in fields), None)
