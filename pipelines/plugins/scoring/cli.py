"""The command `score`: scores a run's folder again, or predictions of any system."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.shared import lists
from pipelines.cli.shared.options import option, say, show
from pipelines.cli.shared.run_options import typer_option
from pipelines.cli.shared.shared_options import Json
from pipelines.display.terminal import to_json

PREDICTIONS = "predictions.jsonl"  # of a run


def score(
    subject: Annotated[str, typer.Argument(metavar="RUN|TASK|METRIC", help="A run's folder, a task or a metric.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE…",
            help="A benchmark's files of predictions (FILE::SYSTEM: one system's), or predictions and references: "
            "JSON {id: text}, JSON Lines, or one text per line.",
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None, option("A further metric for the run, or several.", "METRIC[,…]", flags=("--metric",))
    ] = None,
    data: Annotated[
        str | None,
        option('Of a run: where its data are now. Of predictions: the data they are for, or "published".', "PATH"),
    ] = None,
    split: Annotated[str | None, option("With predictions and --data: the data's split.", "SPLIT")] = None,
    judge: Annotated[str | None, typer_option("judge")] = None,
    judge_prompts_from: Annotated[str | None, typer_option("judge_prompts_from")] = None,
    out: Annotated[
        Path | None,
        option("For a judge's verdicts on a file of predictions; default: FILE.judged.", "FOLDER", "Judge"),
    ] = None,
    report: Annotated[bool, typer_option("report")] = True,
    as_json: Json = False,
) -> None:
    """Score a run's folder again, or predictions of any system.

    Nothing is asked of the reader. Several files, or a file with several systems, give a table. A judge is a model that
    says which predictions are right.

    Example: longdoc score runs/first --metric rouge-l,answer_recall

    Example: longdoc score rouge-l predictions.jsonl references.jsonl

    Example: longdoc score infinitebench/en_qa preds_longbook_qa_eng.jsonl --data longbook_qa_eng.jsonl

    Example: longdoc score nocha claims.jsonl

    Example: longdoc score lara/location full_32k_financial_location.jsonl --judge openai:MODEL
    """
    from pipelines import tasks
    from pipelines.plugins.scoring import score as scores

    metric_names = lists.components("metrics", metrics or [])
    paths = files or []
    judging: dict[str, Any] = {"judge": judge, "judge_prompts_from": judge_prompts_from}
    is_task = tasks.full_name(subject) in tasks.all_tasks()
    if paths and (members := tasks.group(subject)):
        raise UserError(
            f"{subject} has several tasks: longdoc score {' or '.join(task.name for task in members)} FILE…"
        )
    if paths and is_task and (len(paths) != 2 or data is not None or _are_predictions(subject, paths)):
        _refuse({"--no-report": not report}, "a run's folder, not for a benchmark's predictions")
        _score_predictions(
            subject, paths, {"data": data, "split": split, "metrics": metric_names or None, **judging}, out, as_json
        )
        return
    _refuse({"--out": out}, "a judge's verdicts on a benchmark's predictions")
    _refuse({"--split": split}, "a benchmark's predictions with --data; a run says its own split")
    if len(paths) == 2:
        flags = {"--metric": metrics, "--data": data, "--no-report": not report, "--judge": judge}
        _refuse(
            {**flags, "--judge-prompts-from": judge_prompts_from},
            "a run's folder; files are scored by: longdoc score METRIC PREDICTIONS REFERENCES",
        )
        result = scores.score(subject, paths[0], paths[1])
    elif not paths and (metrics or data or judge or not report) and not Path(subject).is_dir():
        raise UserError(f"there is no run's folder {subject}; longdoc runs list shows your runs")
    elif paths or not Path(subject).is_dir():
        raise UserError(f"type longdoc score RUN_FOLDER, or longdoc score {subject} PREDICTIONS REFERENCES")
    else:
        result = scores.score(Path(subject), metrics=metric_names, data=data, report=report, **judging)
    if as_json:
        print(to_json(result))
    else:
        say(_table(result))


def _refuse(options: Mapping[str, Any], purpose: str) -> None:
    """Raise `UserError` for the first option with a value; the options are for something else."""
    if flag := next((flag for flag, value in options.items() if value), None):
        raise UserError(f"{flag} is for {purpose}")


def _are_predictions(task: str, files: Sequence[Path]) -> bool:
    """Whether two files are both in the layout of the task's benchmark, or of runs; not predictions and references."""
    from pipelines import tasks
    from pipelines.plugins.scoring import prediction_files

    return all(prediction_files.reads(tasks.get(task), file) or file.name == PREDICTIONS for file in files)


def _score_predictions(
    task: str, files: Sequence[Path], arguments: Mapping[str, Any], out: Path | None, as_json: bool
) -> None:
    """Score a benchmark's files of predictions: one system, or a table of several.

    Exit code 1 where requests of a judge failed.
    """
    from pipelines import tasks
    from pipelines.display.table_display import show_view
    from pipelines.plugins.scoring import prediction_files
    from pipelines.plugins.scoring import score as scores

    if len([text for file in files for text in prediction_files.systems(tasks.get(task), file)]) > 1:
        _refuse({"--out": out}, "a judge's verdicts on one system's predictions")
    record: Any = scores.score(task, files, out=out, **arguments)
    if as_json:
        show(record, True)
    else:
        show_view(record)
    if any(system.judging.get("failures") for system in record.systems):
        raise typer.Exit(1)


def _table(record: Mapping[str, Any]) -> str:
    """Scores by name, or a run's `scores.json`, line by line."""
    from pipelines.results import judge_record, reference_counts

    lines = [f"{name:<16} {value:7.2f}" for name, value in record.get("scores", record).items()]
    lines += reference_counts.reference_notes(record) if "scores" in record else []
    for key in ("not_computed", "not_recomputed"):
        lines += [f"{name:<16} {key.replace('_', ' ')}: {reason}" for name, reason in record.get(key, {}).items()]
    judging = record.get("judging", {})
    return "\n".join([*lines, *judge_record.lines(judging), *judge_record.agreement_lines(judging)])
