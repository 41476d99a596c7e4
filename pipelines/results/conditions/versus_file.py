"""The folder of a table of conditions: `versus.json` lists them, their runs' folders, and predictions given as files.

The runs hold everything else. Given predictions are kept scored, in `given-N.json`, so that the table can be made again
where their files are gone.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from longdoc import checked_json, record_checks
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.links import check_files, check_parts
from longdoc.plain_values import plain_fields, plain_keys
from pipelines.records import prediction_of
from pipelines.results.conditions.condition import CONDITION_KINDS
from pipelines.results.conditions.condition_comparison import compare_conditions
from pipelines.results.conditions.condition_table import ConditionTable
from pipelines.results.conditions.coverage import ConditionResults
from pipelines.results.run_folders.record import VERSUS, check_format
from pipelines.results.run_folders.run import Run, finished_run
from pipelines.results.scores import Scores

FORMAT = 2  # 2: versus.json and given-N.json end with a checksum
CHECKED = range(2, FORMAT + 1)
OLDEST = 1  # that is read
FIELDS = {
    **dict.fromkeys(("task", "split", "command"), record_checks.text),
    "primary_metric": record_checks.maybe(record_checks.text),
    "ways": record_checks.each_item(record_checks.mapping(lambda value: True)),
    "notes": record_checks.each_item(record_checks.text),
}
GIVEN_KEYS = (
    "task", "split", "scores", "scores.signatures", "metrics", "failures", "scores.not_computed",
    "scores.no_interval", "predictions", "scores.intervals",
)  # fmt: skip
WAY_FIELDS = {
    **dict.fromkeys(("name", "line", "amount", "source"), record_checks.text),
    "kind": lambda value: value in CONDITION_KINDS,
    "failures": record_checks.mapping(record_checks.text),
    **dict.fromkeys(("folder", "given", "error"), record_checks.maybe(record_checks.text)),
}


@dataclass(frozen=True, slots=True)
class StoredCondition:
    """A condition in `versus.json`: `folder` of its run, or `given`, the file with its predictions, both relative.

    `failures` are the reasons by example where none was answered, and the run is not finished.
    """

    name: str
    kind: str
    line: str = ""
    amount: str = ""
    source: str = ""
    folder: str | None = None
    given: str | None = None
    error: str | None = None
    failures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredConditions:
    """The content of `versus.json`. `command` is the command line, empty where it was started in Python."""

    task: str
    split: str
    ways: Sequence[StoredCondition]
    primary_metric: str | None = None
    notes: Sequence[str] = ()
    command: str = ""


def is_here(folder: Path) -> bool:
    """Whether a folder holds a table of conditions."""
    return (folder / VERSUS).is_file()


def write(folder: Path, conditions: StoredConditions) -> None:
    """Put `versus.json` in place at once."""
    record = {"format": FORMAT, **plain_fields(conditions)}
    write_whole(folder, VERSUS, checked_json.dumps(record))


def write_given(folder: Path, file_name: str, run: Run, expected: int | None) -> None:
    """Keep predictions that were given as a file, scored, in a file of this name."""
    record = {
        "format": FORMAT,
        **plain_keys(run, GIVEN_KEYS),
        "expected": expected,
    }
    write_whole(folder, file_name, checked_json.dumps(record, indent=None))


def read(path: str | Path, primary_metric: str | None = None) -> ConditionTable:
    """The table of conditions in a folder, its runs read and compared. Raises `UserError`."""
    folder = Path(path)
    conditions = read_record(folder)
    results = [_condition_results(folder, conditions, condition) for condition in conditions.ways]
    return compare_conditions(
        conditions.task,
        conditions.split,
        results,
        primary_metric or conditions.primary_metric,
        folder,
        conditions.notes,
    )


def task_of(folder: Path) -> str | None:
    """The task of a folder's table of conditions; None without one, or for a damaged one, which is written again."""
    try:
        return read_record(folder).task if is_here(folder) else None
    except UserError:
        return None


def read_record(folder: Path) -> StoredConditions:
    """The content of `versus.json`. Raises `UserError` where it is damaged, or another version wrote it."""
    file = folder / VERSUS
    if not file.is_file():
        raise UserError(f"{folder} holds no table of ways: there is no {VERSUS} in it")
    check_files(folder)
    try:
        record = checked_json.load(file, CHECKED)
        record_checks.check(record, FIELDS)
        for condition in record["ways"]:
            record_checks.check(condition, WAY_FIELDS)
    except ValueError as error:
        raise UserError(f"{file} is damaged ({error}): start the same comparison again") from None
    check_format(record, FORMAT, folder, oldest=OLDEST)
    check_parts(
        folder,
        [condition["folder"] for condition in record["ways"] if condition["folder"] is not None],
        is_typed_elsewhere=True,
    )
    check_parts(folder, [condition["given"] for condition in record["ways"] if condition["given"] is not None])
    conditions = [
        StoredCondition(
            **{dataclass_field.name: condition[dataclass_field.name] for dataclass_field in fields(StoredCondition)}
        )
        for condition in record["ways"]
    ]
    return StoredConditions(**{name: record[name] for name in FIELDS} | {"ways": conditions})


def _condition_results(folder: Path, conditions: StoredConditions, condition: StoredCondition) -> ConditionResults:
    path = None if condition.folder is None else Path(os.path.normpath(folder / condition.folder))
    outcome: Run | str
    expected = None
    try:
        if condition.error is not None:
            outcome = condition.error
        elif condition.failures:
            outcome = Run(path or folder, conditions.task, conditions.split, {}, failures=condition.failures, loaded=())
        elif condition.given is not None:
            outcome, expected = read_given_predictions(folder / condition.given)
        elif path is not None:
            outcome = finished_run(path)
        else:
            outcome = "it has no folder"
    except UserError as error:
        outcome = str(error)
    return ConditionResults(
        condition.name,
        condition.kind,  # type: ignore[arg-type]
        outcome,
        condition.line,
        condition.amount,
        path,
        condition.source,
        expected,
    )


def read_given_predictions(file: Path) -> tuple[Run, int | None]:
    """Predictions that were given as a file, with the number expected. Raises `UserError` for a damaged file."""
    try:
        record = checked_json.load(file, CHECKED)
        predictions = tuple(prediction_of(value) for value in record["predictions"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file} is damaged ({error}): start the same comparison again") from None
    run = Run(
        folder=file.parent,
        task=record["task"],
        split=record["split"],
        spec={},
        scores=replace(Scores.of(record), intervals={}, no_interval={}),
        failures=record["failures"],
        loaded=predictions,
        metrics=record["metrics"],
    )
    return run, record["expected"]
