"""Reading prediction files in the form of a submission, strictly: the CSV of all tasks, or the JSON of one."""

import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines.sources import reading

COLUMNS = ("Task", "ID", "Prediction")
LISTED = 5  # names in an error message
Predictions = dict[str, dict[str, str]]


def read(path: Path, known_names: Collection[str]) -> Predictions:
    """Task to id to prediction, in the order of the file. Raises `UserError` that counts every kind of problem."""
    if path.suffix == ".json":
        return {_task_of(path, known_names): _object(path)}
    if path.suffix == ".csv":
        return _table(path, known_names)
    raise UserError(f"{path.name} is no submission: give a CSV file ({', '.join(COLUMNS)}) or a task's JSON file")


def first_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more_text = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more_text


def _task_of(path: Path, known_names: Collection[str]) -> str:
    if path.stem not in known_names:
        raise unknown("task (a JSON file is named after its own)", path.stem, known_names)
    return path.stem


def _object(path: Path) -> dict[str, str]:
    """The one object of a JSON file."""
    twice_names: list[str] = []

    def pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice_names.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return dict(pairs)

    try:
        content = json.loads(reading.text(path), object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise UserError(f"{path.name} is not JSON: {error}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or brackets in brackets
        raise UserError(f"{path.name} holds no object of id to prediction: {str(error).split(';')[0]}") from None
    if not isinstance(content, dict):
        raise UserError(f"{path.name} holds no object of id to prediction, but a {type(content).__name__}")
    other = [name for name, text in content.items() if not isinstance(text, str)]
    problems = [f"{len(twice_names):,} ids come twice: {first_names(twice_names)}"] * bool(twice_names)
    problems += [f"{len(other):,} predictions are no strings: {first_names(other)}"] * bool(other)
    _refuse(path, problems, content)
    return content


def _table(path: Path, known_names: Collection[str]) -> Predictions:
    """The rows of a CSV file."""
    values: Predictions = {}
    ragged, nameless, unknown_tasks, twice_names = [], [], Counter[str](), []
    with _long_fields():
        rows = csv.reader(io.StringIO(reading.text(path), newline=""), strict=True)
        try:
            if (heading := next(rows, [])) != list(COLUMNS):
                raise UserError(f"{path.name}: the columns must be {', '.join(COLUMNS)}; they are {', '.join(heading)}")
            for row in rows:
                if len(row) != len(COLUMNS):
                    ragged.append(f"line {rows.line_num}")
                    continue
                task, name, text = row
                if task not in known_names:
                    unknown_tasks[task] += 1
                elif not name:
                    nameless.append(f"line {rows.line_num}")
                elif name in values.setdefault(task, {}):
                    twice_names.append(f"{task} {name}")
                else:
                    values[task][name] = text
        except csv.Error as error:
            raise UserError(f'{path.name}, line {rows.line_num}: {error}; quote fields with " and double it') from None
    problems = [f"{len(ragged):,} rows have not three fields: {first_names(ragged)}"] * bool(ragged)
    problems += [f"{len(nameless):,} rows have no ID: {first_names(nameless)}"] * bool(nameless)
    problems += [f"{count:,} rows are of the unknown task {task!r}" for task, count in unknown_tasks.items()]
    problems += [f"{len(twice_names):,} ids come twice: {first_names(twice_names)}"] * bool(twice_names)
    _refuse(path, problems, values)
    return values


def _refuse(path: Path, problems: Sequence[str], entries: Collection[Any]) -> None:
    if problems:
        raise UserError(f"{path.name}: {'; '.join(problems)}")
    if not entries:
        raise UserError(f"{path.name} holds no predictions")


@contextmanager
def _long_fields() -> Iterator[None]:
    """Allow fields of any length; the csv module's limit is global, so it is restored."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)
