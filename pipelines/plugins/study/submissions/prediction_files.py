"""Reads the files of a submission strictly: the CSV of all tasks, or the JSON of one."""

import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, listed, unknown
from pipelines.sources import reading

COLUMNS = ("Task", "ID", "Prediction")
LISTED = 5  # names in an error message
Predictions = dict[str, dict[str, str]]


def read(path: Path, task_names: Collection[str]) -> Predictions:
    """The predictions by task and id, in the order of the file. Raises `UserError` with the number of each problem."""
    if path.suffix == ".json":
        return {_task_of(path, task_names): _object(path)}
    if path.suffix == ".csv":
        return _table(path, task_names)
    raise UserError(f"{path.name} is not a submission: give a CSV file ({', '.join(COLUMNS)}) or a task's JSON file")


def _task_of(path: Path, task_names: Collection[str]) -> str:
    if path.stem not in task_names:
        raise unknown("task (a JSON file is named after its own)", path.stem, task_names)
    return path.stem


def _object(path: Path) -> dict[str, str]:
    """The predictions by id out of a JSON file."""
    repeated: list[str] = []

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return dict(pairs)

    try:
        content = json.loads(reading.text(path), object_pairs_hook=fields)
    except json.JSONDecodeError as error:
        raise UserError(f"{path.name} is not JSON: {error}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or brackets in brackets
        raise UserError(f"{path.name} must be an object of id to prediction: {str(error).split(';')[0]}") from None
    if not isinstance(content, dict):
        raise UserError(f"{path.name} must be an object of id to prediction, got a {type(content).__name__}")
    not_strings = [name for name, prediction in content.items() if not isinstance(prediction, str)]
    problems = [f"{len(repeated):,} ids come twice: {listed(repeated, LISTED)}"] * bool(repeated)
    problems += [f"{len(not_strings):,} predictions are not strings: {listed(not_strings, LISTED)}"] * bool(not_strings)
    _refuse(path, problems, content)
    return content


def _table(path: Path, task_names: Collection[str]) -> Predictions:
    """The predictions by task and id out of a CSV file."""
    predictions: Predictions = {}
    ragged, without_id, unknown_tasks, repeated = [], [], Counter[str](), []
    with _long_fields():
        rows = csv.reader(io.StringIO(reading.text(path), newline=""), strict=True)
        try:
            if (heading := next(rows, [])) != list(COLUMNS):
                raise UserError(f"{path.name}: the columns must be {', '.join(COLUMNS)}; they are {', '.join(heading)}")
            for row in rows:
                if len(row) != len(COLUMNS):
                    ragged.append(f"line {rows.line_num}")
                    continue
                task, example_id, prediction = row
                if task not in task_names:
                    unknown_tasks[task] += 1
                elif not example_id:
                    without_id.append(f"line {rows.line_num}")
                elif example_id in predictions.setdefault(task, {}):
                    repeated.append(f"{task} {example_id}")
                else:
                    predictions[task][example_id] = prediction
        except csv.Error as error:
            raise UserError(f'{path.name}, line {rows.line_num}: {error}; quote fields with " and double it') from None
    problems = [f"{len(ragged):,} rows do not have three fields: {listed(ragged, LISTED)}"] * bool(ragged)
    problems += [f"{len(without_id):,} rows have no ID: {listed(without_id, LISTED)}"] * bool(without_id)
    problems += [f"{count:,} rows are of the unknown task {task!r}" for task, count in unknown_tasks.items()]
    problems += [f"{len(repeated):,} ids come twice: {listed(repeated, LISTED)}"] * bool(repeated)
    _refuse(path, problems, predictions)
    return predictions


def _refuse(path: Path, problems: Sequence[str], predictions: Collection[Any]) -> None:
    """Raise `UserError` for a file with problems, or without predictions."""
    if problems:
        raise UserError(f"{path.name}: {'; '.join(problems)}")
    if not predictions:
        raise UserError(f"{path.name} has no predictions")


@contextmanager
def _long_fields() -> Iterator[None]:
    """Allow fields of any length; the csv module's limit is global, so it is restored."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)
