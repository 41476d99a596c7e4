"""The command `analyze label-agreement`: how scores and a judge agree with the labels that people gave."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared import lists
from pipelines.cli.shared.options import Task, option, show_table
from pipelines.cli.shared.run_options import typer_option
from pipelines.cli.shared.shared_options import Json


def label_agreement(
    task: Task,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="The benchmark's files of predictions that have labels.")
    ],
    data: Annotated[str | None, option("The benchmark's data, for intervals by document.", "PATH", "Data")] = None,
    split: Annotated[str | None, option("With --data: the data's split.", "SPLIT", "Data")] = None,
    group_by: Annotated[
        str | None, option("With --data: a field of the examples, for a kappa of each of its values.", "FIELD", "Data")
    ] = None,
    metrics: Annotated[
        list[str] | None,
        option("Scores, instead of rules and metrics without weights.", "METRIC[,…]", flags=("--metric",)),
    ] = None,
    judge: Annotated[str | None, typer_option("judge")] = None,
    judge_prompts_from: Annotated[str | None, typer_option("judge_prompts_from")] = None,
    repeats: Annotated[int, option("How often the judge is asked about each prediction.", "N", "Judge")] = 1,
    swapped: Annotated[
        bool,
        option("Also ask the judge with the two answers swapped.", group="Judge", flags=("--swapped",)),
    ] = False,
    out: Annotated[
        Path | None, option("For the judge's replies; default: judged, beside the first file.", "FOLDER", "Judge")
    ] = None,
    as_json: Json = False,
) -> None:
    """How rules, metrics and a judge agree with labels that people gave.

    Over all files together: the share of equal calls, Cohen's kappa with its interval, and how often a judge
    contradicts itself.

    Example: longdoc analyze label-agreement financebench results/*.jsonl --data . --group-by question_type
    """
    from pipelines.plugins.study.agreements.label_agreement import label_agreement as measure

    agreement = measure(
        task,
        files,
        data=data,
        split=split,
        group_by=group_by,
        metrics=lists.components("metrics", metrics or []) or None,
        judge=judge,
        judge_prompts_from=judge_prompts_from,
        repeats=repeats,
        swapped=swapped,
        out=out,
    )
    show_table(agreement, as_json)
