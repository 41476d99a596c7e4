"""The command `plan`: how many documents and questions a difference needs."""

from pathlib import Path
from typing import Annotated

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
        float | None, option("The difference to detect, in points of a score of 0 to 100.", "POINTS")
    ] = None,
    metric: Annotated[
        str | None, option("The score; default: the first that is a mean over examples.", "SCORE")
    ] = None,
    power: Annotated[float, option("The probability of detecting the difference.", "SHARE")] = 0.8,
    alpha: Annotated[float, option("The significance level of the two-sided test.", "SHARE")] = 0.05,
    comparisons: Annotated[
        int, option("Differences tested together (a grid's cells less one), for Holm's correction.", "N")
    ] = 1,
    correlation: Annotated[
        float | None, option("For a single run: correlation of its scores with a second system's; default: 0.5.", "R")
    ] = None,
    data: Annotated[str | None, option("For a task: its data, a local file or folder.", "PATH")] = None,
    split: Annotated[str | None, option("For a task: the data's split.", "SPLIT")] = None,
    sd: Annotated[
        float | None, option("For a task without files: standard deviation of a question's difference.", "POINTS")
    ] = None,
    icc: Annotated[
        float | None, option("With --sd: how alike the differences of one document are, 0 to 1.", "SHARE")
    ] = None,
    cluster: Annotated[
        str | None, option("Of logs: the field that says which samples belong together.", "FIELD")
    ] = None,
    as_json: Json = False,
) -> None:
    """Plan how many documents a difference between systems needs.

    The plan rests on one or two runs, logs of other harnesses or files of predictions, or on data with a given spread.
    Questions of one document are not independent, so the test is over documents, as in longdoc compare. Also says which
    difference the data can show.

    Example: longdoc plan runs/tfidf runs/bm25 --detect 3

    Example: longdoc plan runs/tfidf runs/bm25 --detect 3 --comparisons 11

    Example: longdoc plan logs/before.eval logs/after.eval --detect 3

    Example: longdoc plan lara/location full.jsonl rag.jsonl --detect 5

    Example: longdoc plan scrolls/qasper --data FOLDER --sd 40 --icc 0.1 --detect 3
    """
    from pipelines.plugins.study.power.power_analysis import plan as plan_documents

    task, files = _task_and_files(subject, paths or [])
    analysis = plan_documents(
        *files,
        detect=detect,
        metric=metric,
        power=power,
        alpha=alpha,
        comparisons=comparisons,
        correlation=correlation,
        task=task,
        data=data,
        split=split,
        sd=sd,
        icc=icc,
        cluster=cluster,
    )
    show_table(analysis, as_json)


def _task_and_files(subject: str, paths: list[Path]) -> tuple[str | None, list[Path]]:
    """The task, or None where `subject` is a run or a log; and the runs' folders, the logs or the files."""
    from pipelines import tasks
    from pipelines.plugins.study.logs.formats import is_log

    is_run = Path(subject).is_dir() or is_log(subject)
    is_task = tasks.full_name(subject) in tasks.all_tasks()
    task = None if is_run and not is_task else subject
    if task is not None and not is_task and ":" not in subject:
        raise UserError(
            f"{subject} is neither a run's folder nor a task: longdoc runs list and longdoc list tasks show them"
        )
    files = paths if task is not None else [Path(subject), *paths]
    if len(files) > 2:
        raise UserError(f"a difference is between two systems: give one or two files, got {len(files)}")
    return task, files
