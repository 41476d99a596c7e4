"""The command `analyze curve`: scores over the length of the document, or over the place of the evidence."""

from pathlib import Path
from typing import Annotated

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import option, show_table
from pipelines.cli.shared.shared_options import Json
from pipelines.display import plot_style


def curve(
    subject: Annotated[str, typer.Argument(metavar="RUN|TASK", help="A run's folder, or a task.")],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN|FILE…", help="Further runs; or the task's files of predictions."),
    ] = None,
    data: Annotated[
        str | None, option("For runs: where the data are now. For files: the benchmark's data.", "PATH", "Data")
    ] = None,
    split: Annotated[str | None, option("For a task: the data's split.", "SPLIT", "Data")] = None,
    metric: Annotated[
        str | None, option("The score; default: the first that is a mean over examples.", "SCORE")
    ] = None,
    over: Annotated[str, option("length of the document, or place of the gold evidence.", "AXIS")] = "length",
    bins: Annotated[
        str | None, option("powers (of two), or a number of bins; default: powers, for places 5.", "BINS")
    ] = None,
    tokenizer: Annotated[str, option("A model in whose tokens lengths are counted.", "MODEL")] = "white-space",
    share: Annotated[float, option("The share of the first bin's score to keep.", "SHARE")] = 0.85,
    level: Annotated[float, option("The level of the intervals.", "SHARE")] = 0.95,
    resamples: Annotated[int, option("The number of bootstrap resamples.", "N")] = 2000,
    seed: Annotated[int, option("The seed of the resampling.", "N")] = 0,
    plot: Annotated[Path | None, option("Write a plot too: .png, .svg or .pdf.", "FILE")] = None,
    as_json: Json = False,
) -> None:
    """Draw scores over the length of the document, with bands by document.

    For runs, also those of longdoc versus and ablate, or a benchmark's files of predictions. Also says from which
    length on the others beat the first, and up to which length a system keeps a share of its score.

    Example: longdoc analyze curve runs/whole runs/tfidf --plot curve.png

    Example: longdoc analyze curve lara/location full.jsonl rag.jsonl --data datasets --bins 4

    Example: longdoc analyze curve runs/whole --over place
    """
    from pipelines.plugins.study.curves.curve import curve as draw

    if plot is not None:
        plot_style.check(plot)  # before the work
    task, all_paths = _task_and_paths(subject, paths or [])
    curves = draw(
        all_paths,
        task=task,
        data=data,
        split=split,
        metric=metric,
        over=over,
        bins=int(bins) if bins is not None and bins.isascii() and bins.isdigit() else bins,
        tokenizer=tokenizer,
        share=share,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    if plot is not None:
        curves.plot(plot)
    show_table(curves, as_json)


def _task_and_paths(subject: str, paths: list[Path]) -> tuple[str | None, list[str | Path]]:
    """The task, or None where `subject` is a run; and the runs' folders or the files. Raises `UserError`."""
    from pipelines import tasks

    if Path(subject).exists() and tasks.full_name(subject) not in tasks.all_tasks():
        return None, [subject, *paths]
    if group := tasks.group(subject):
        raise UserError(
            f"{subject} has several tasks: longdoc analyze curve {' or '.join(task.name for task in group)} FILE…"
        )
    if tasks.full_name(subject) not in tasks.all_tasks():
        raise UserError(
            f"{subject} is neither a run's folder nor a task: longdoc runs list and longdoc list tasks show them"
        )
    if not paths:
        raise UserError(f"longdoc analyze curve {subject} FILE…: give its benchmark's files of predictions")
    return subject, list(paths)
