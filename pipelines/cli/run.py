"""Commands that run a task, print a prompt, and score: run, prompt, score."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli import lists
from pipelines.cli.options import (
    AllowCode,
    Json,
    Task,
    data_by_task,
    option,
    recorded_command,
    say,
    show,
    show_result,
)
from pipelines.cli.run_options import takes_run_options, typer_option
from pipelines.cli.several_tasks import run_several
from pipelines.engine.planning.options import UNPLANNED

DATA = option('"sample", or a local file or folder; of several tasks also TASK=PATH, given again.', "PATH", "Data")


@takes_run_options("run", keys={"task": str | Sequence[str], "data": str | Mapping[str, str]})
def run(
    task: Annotated[str, typer.Argument(help="A task of `longdoc tasks`, several with commas, or a benchmark.")],
    arguments: Mapping[str, Any],
    data: Annotated[list[str] | None, DATA] = None,
    dry_run: Annotated[bool, option("Only count examples, requests, tokens and pairs.", flags=("--dry-run",))] = False,
    signatures: Annotated[bool, option("Print what decides each score.", flags=("--signatures",))] = False,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Run a task or a whole benchmark, and score it.

    Several tasks are names with commas, or a benchmark: muld, scrolls, zero_scrolls, longbench. Their --data is a
    folder with the files of all, or TASK=PATH for each.

    Example: longdoc run narrativeqa --data sample --retriever tfidf --model extractive

    Example: longdoc run muld --data FOLDER --model floor
    """
    from pipelines import api, tasks

    task = task if isinstance(task, str) else ",".join(task)  # a list in a file for --config
    with recorded_command():
        if tasks.is_several(task):
            run_several(task, arguments, data or [], dry_run, as_json, signatures)
            return
        if (given := data_by_task([task], data or [])) is not None:
            arguments = {"data": given, **arguments}
        if dry_run:
            show(api.dry_run(task, **_without(arguments, "out", "reply_cache", "report")), as_json)
            return
        result = api.run(task, **arguments)
    show_result(result, as_json, signatures)
    if result.failures:
        raise typer.Exit(1)


@takes_run_options("prompt", keys={}, whole=True)
def prompt(
    task: Task,
    example: Annotated[str, typer.Argument(metavar="ID", help="The id of an example.")],
    arguments: Mapping[str, Any],
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Print the exact text that the reader gets for one example.

    Of several requests the first; where pairs of paragraphs are compared, the first pair.

    Example: longdoc prompt narrativeqa sample-01 --data sample --model extractive
    """
    from pipelines import api

    show(api.prompt(task, example, **_without(arguments, *UNPLANNED)), as_json, exact=True)


def _without(arguments: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The arguments without those that say where and how a run is made."""
    return {name: value for name, value in arguments.items() if name not in names}


def score(
    what: Annotated[str, typer.Argument(help="A run's folder, or a task or metric.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]…",
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
    report: Annotated[bool, typer_option("report")] = True,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Score a run's folder again, or predictions of any system.

    Nothing is asked of the reader. Several files, or a file with several systems, give a table.

    Example: longdoc score runs/first --metric rouge-l,answer_recall

    Example: longdoc score rouge-l predictions.jsonl references.jsonl

    Example: longdoc score infinitebench/en_qa preds_longbook_qa_eng.jsonl --data longbook_qa_eng.jsonl

    Example: longdoc score nocha claims.jsonl
    """
    from pipelines import api, tasks

    named = lists.components("metrics", metrics or [])
    given = files or []
    is_task = tasks.full_name(what) in tasks.all_tasks()
    if given and is_task and (len(given) != 2 or data is not None or _are_predictions(what, given)):
        if not report:
            raise UserError("--no-report is for a run's folder: no page is written of predictions")
        _score_predictions(what, given, data, split, named, as_json)
        return
    if split is not None:
        raise UserError("--split goes with predictions and --data; a run says its own split")
    if len(given) == 2:
        scores = _score_pair(what, given, [*(metrics or [])], data, report)
    elif given:
        raise UserError(f"longdoc score RUN_FOLDER, or longdoc score {what} PREDICTIONS REFERENCES")
    elif not Path(what).is_dir():
        if metrics or data or not report:
            raise UserError(f"there is no run's folder {what}; longdoc runs lists those that there are")
        raise UserError(f"longdoc score RUN_FOLDER, or longdoc score {what} PREDICTIONS REFERENCES")
    else:
        scores = api.rescore(Path(what), metrics=named, data=data, report=report)
    if as_json:
        print(json.dumps(scores, indent=2, ensure_ascii=False))
    else:
        say(_table(scores))


def _are_predictions(task: str, files: Sequence[Path]) -> bool:
    """Whether two files are both in the layout of the task's benchmark, not predictions and references."""
    from pipelines import tasks
    from pipelines.evaluation import predictions

    return all(predictions.reads(tasks.get(task), file) for file in files)


def _score_pair(what: str, files: Sequence[Path], metrics: Sequence[str], data: str | None, report: bool) -> Any:
    """Score a file of predictions against one of references."""
    from pipelines import api
    from pipelines.sources.own.outputs import read_outputs

    if metrics or data or not report:
        given = "--metric" if metrics else "--data" if data else "--no-report"
        raise UserError(
            f"{given} is for a run's folder; files are scored by: longdoc score METRIC PREDICTIONS REFERENCES"
        )
    golds = read_outputs(files[1], "references")
    return api.score(what, _single(read_outputs(files[0], "predictions")), golds)


def _score_predictions(
    task: str, given: Sequence[Path], data: str | None, split: str | None, metrics: Any, as_json: bool
) -> None:
    """Score files of predictions in the layout of the task's benchmark: one system, or a table of several."""
    from pipelines import tasks
    from pipelines.evaluation import predictions
    from pipelines.evaluation.score_predictions import score_prediction_files, score_predictions
    from pipelines.results.reports import terminal

    each = [one for file in given for one in predictions.systems(tasks.get(task), file)]
    chosen = metrics or None
    if len(each) == 1:
        record: Any = score_predictions(task, each[0], data=data, split=split, metrics=chosen)
    else:
        record = score_prediction_files(task, each, data=data, split=split, metrics=chosen)
    if as_json:
        show(record, True)
        return
    for table in record.tables():
        terminal.show(table)


def _single(outputs: Any) -> Any:
    """Predictions: the one output of each row."""
    pairs = list(outputs.items()) if isinstance(outputs, dict) else list(enumerate(outputs, 1))
    for name, texts in pairs:
        if len(texts) != 1:
            raise UserError(f"prediction {name} holds {len(texts)} texts, not one: is that the file of references?")
    return {name: texts[0] for name, texts in pairs} if isinstance(outputs, dict) else [texts[0] for _, texts in pairs]


def _table(record: Mapping[str, Any]) -> str:
    """Scores by name, or a run's `scores.json`, line by line."""
    lines = [f"{name:<16} {value:7.2f}" for name, value in record.get("scores", record).items()]
    for what in ("not_computed", "not_recomputed"):
        lines += [f"{name:<16} {what.replace('_', ' ')}: {reason}" for name, reason in record.get(what, {}).items()]
    return "\n".join(lines)


COMMANDS = (run, prompt, score)
