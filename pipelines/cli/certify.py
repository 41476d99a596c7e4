"""The command `analyze certify`: quotes for answers, and answers withheld at a bounded risk of wrong ones."""

from pathlib import Path
from typing import Annotated

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import option, show_table
from pipelines.cli.shared.shared_options import Json


def certify(
    predictions: Annotated[
        list[str], typer.Argument(metavar="TASK=FILE…", help="Files of predictions, each with its task.")
    ],
    data: Annotated[str, option("The data of the tasks, with the documents.", "PATH")],
    risk: Annotated[
        float,
        option("The share of a document's questions that may have a wrong answer shown, in expectation.", "SHARE"),
    ],
    split: Annotated[str | None, option("The data's split.", "SPLIT")] = None,
    support: Annotated[str, option("How well a quote supports a claim.", "SUPPORT")] = "overlap",
    metric: Annotated[str, option("An answer is right from a first score of 50 on.", "METRIC")] = "f1",
    out: Annotated[Path | None, option("Where every answer is written with its quotes, as JSON Lines.", "FILE")] = None,
    calibration: Annotated[
        Path | None, option("Where the answers are written for --certify of `ask` and `run`, as JSON.", "FILE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find quotes for answers, and withhold those that they support too little.

    The threshold is calibrated by document: wrong answers are shown at the given risk at most, in expectation. No model
    is asked.

    Example: longdoc analyze certify financebench=results/gpt-4_oracle.jsonl --data . --risk 0.2
    """
    from pipelines.evaluation.certification.certify import certify as measure

    show_table(
        measure(
            _files_by_task(predictions),
            data=data,
            risk=risk,
            split=split,
            support=support,
            metric=metric,
            out=out,
            calibration=calibration,
        ),
        as_json,
    )


def _files_by_task(texts: list[str]) -> dict[str, list[str]]:
    """`TASK=FILE`, a task once or more often, taken apart. Raises `UserError`."""
    files: dict[str, list[str]] = {}
    for text in texts:
        task, equals, path = text.partition("=")
        if not equals or not path:
            raise UserError(f"{text!r} is not TASK=FILE, as financebench=results.jsonl")
        files.setdefault(task, []).append(path)
    return files
