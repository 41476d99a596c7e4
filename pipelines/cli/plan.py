"""The command `plan`: how many documents and questions a difference needs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import option, show_table
from pipelines.cli.shared.shared_options import Json


def plan(
    subject: Annotated[str, typer.Argument(metavar="RUN|TASK", help="The folder of a finished run, a log, or a task.")],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN|FILE…", help="A second run; or the task's files of predictions, one or two."),
    ] = None,
    detect: Annotated[
        float | None, option("The difference to be shown, on the score's scale of 0 to 100.", "POINTS")
    ] = None,
    metric: Annotated[
        str | None, option("The score; default: the first that is a mean over examples.", "SCORE")
    ] = None,
    power: Annotated[float, option("The probability with which the difference is shown.", "SHARE")] = 0.8,
    alpha: Annotated[float, option("Of the two-sided test.", "SHARE")] = 0.05,
    comparisons: Annotated[
        int, option("Differences tested together (a grid's cells less one), for Holm's correction.", "N")
    ] = 1,
    correlation: Annotated[
        float | None, option("Of a single run: of its scores with a second system's; default: 0.5.", "R")
    ] = None,
    data: Annotated[str | None, option("Of a task: its data, a local file or folder.", "PATH")] = None,
    split: Annotated[str | None, option("Of a task: the data's split.", "SPLIT")] = None,
    sd: Annotated[
        float | None, option("Of a task without files: the standard deviation of a question's difference.", "POINTS")
    ] = None,
    icc: Annotated[float | None, option("And how alike the differences of one document are, 0 to 1.", "SHARE")] = None,
    cluster: Annotated[
        str | None, option("Of logs: the field that says which samples belong together.", "FIELD")
    ] = None,
    as_json: Json = False,
) -> None:
    """Plan how many documents a difference between systems needs.

    Planned from two runs of the same questions or two logs of other harnesses, from one, from files of predictions, or
    from data with given spreads. Questions of one document are not independent: the test is over documents, as that of
    longdoc compare. Also says which difference the data can show.

    Example: longdoc plan runs/tfidf runs/bm25 --detect 3

    Example: longdoc plan runs/tfidf runs/bm25 --detect 3 --comparisons 11

    Example: longdoc plan logs/before.eval logs/after.eval --detect 3

    Example: longdoc plan lara/location full.jsonl rag.jsonl --detect 5

    Example: longdoc plan scrolls/qasper --data FOLDER --sd 40 --icc 0.1 --detect 3
    """
    from pipelines.evaluation import power_analysis

    task, files = _planned_from(subject, paths or [])
    given_fields: dict[str, Any] = {"detect": detect, "metric": metric, "power": power, "alpha": alpha}
    given_fields |= {
        "comparisons": comparisons,
        "correlation": correlation,
        "data": data,
        "split": split,
        "sd": sd,
        "icc": icc,
        "cluster": cluster,
    }
    analysis = power_analysis.plan(*files, task=task, **given_fields)
    show_table(analysis, as_json)


def _planned_from(subject: str, paths: list[Path]) -> tuple[str | None, list[Path]]:
    """The task, if one is named, and the runs' folders or the files."""
    from pipelines import tasks
    from pipelines.evaluation.score_logs.formats import is_log

    is_run = Path(subject).is_dir() or is_log(subject)
    task = None if is_run and tasks.full_name(subject) not in tasks.all_tasks() else subject
    if task is not None and tasks.full_name(subject) not in tasks.all_tasks() and ":" not in subject:
        raise UserError(
            f"there is no run's folder and no task {subject}; longdoc runs list and longdoc list tasks list them"
        )
    files = paths if task is not None else [Path(subject), *paths]
    if len(files) > 2:
        raise UserError(f"a difference is between two systems; {len(files)} are given")
    return task, files
