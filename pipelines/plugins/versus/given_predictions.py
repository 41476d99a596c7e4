"""Scored predictions of a user's file, kept with the table so that the file itself may be deleted."""

from dataclasses import replace
from pathlib import Path

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.plain_json import plain_keys
from pipelines.records import prediction_of
from pipelines.results.run_folders.run import Run
from pipelines.results.scores import Scores

FORMAT = 2  # 2: it ends with a checksum
CHECKED = range(2, FORMAT + 1)
KEYS = (
    "task", "split", "scores", "scores.signatures", "metrics", "failures", "scores.not_computed",
    "scores.no_interval", "predictions", "scores.intervals",
)  # fmt: skip


def write_given_predictions(folder: Path, name: str, run: Run, expected: int | None) -> None:
    """Write scored predictions, and the number of examples that were expected."""
    record = {"format": FORMAT, **plain_keys(run, KEYS), "expected": expected}
    write_whole(folder, name, checked_json.dumps(record, indent=None))


def read_given_predictions(file: Path) -> tuple[Run, int | None]:
    """Read predictions and the number of examples that were expected. Raises `UserError` for a damaged file."""
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
