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
from pipelines.cli.several_tasks import counted_arguments, run_several
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

    Several tasks are names with commas, or a benchmark: muld, scrolls, zero_scrolls, longbench, infinitebench. Their
    --data is a folder with the files of all, or TASK=PATH for each.

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
            show(api.dry_run(task, **counted_arguments(arguments)), as_json)
            return
        result = api.run(task, **arguments)
    show_result(result, as_json, signatures)
    if result.failures or result.judging.get("failures"):
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
    predictions: Annotated[
        Path | None, typer.Argument(help="JSON {id: text}, JSON Lines, or one text per line.")
    ] = None,
    references: Annotated[Path | None, typer.Argument(help="The same with references.")] = None,
    metrics: Annotated[
        list[str] | None, option("A further metric for the run, or several.", "METRIC[,…]", flags=("--metric",))
    ] = None,
    data: Annotated[str | None, option("Where the run's data are now; default: where they were.", "PATH")] = None,
    judge: Annotated[str | None, typer_option("judge")] = None,
    judge_prompts_from: Annotated[str | None, typer_option("judge_prompts_from")] = None,
    out: Annotated[
        Path | None,
        option("For what a judge says of a file of predictions; default: FILE.judged.", "FOLDER", "Judge"),
    ] = None,
    report: Annotated[bool, typer_option("report")] = True,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Score a run's folder again, or files of predictions.

    Nothing is asked of the reader. A judge is a model that says which predictions are right.

    Example: longdoc score runs/first --metric rouge-l,answer_recall

    Example: longdoc score rouge-l predictions.jsonl references.jsonl

    Example: longdoc score infinitebench/en_qa preds_longbook_qa_eng.jsonl

    Example: longdoc score lara/location full_32k_financial_location.jsonl --judge openai:MODEL
    """
    from pipelines import api, tasks
    from pipelines.sources.own.outputs import read_outputs

    if predictions is not None and references is None and tasks.full_name(what) in tasks.all_tasks():
        _refuse({"--data": data, "--no-report": not report}, "a run's folder, not for a benchmark's predictions")
        given = {"judge": judge, "judge_prompts_from": judge_prompts_from, "out": out}
        _score_predictions(what, predictions, lists.components("metrics", metrics or []), given, as_json)
        return
    _refuse({"--out": out}, "what a judge says of a benchmark's predictions")
    if predictions is None or references is None:
        if predictions is None and (metrics or data or judge or not report) and not Path(what).is_dir():
            raise UserError(f"there is no run's folder {what}; longdoc runs lists those that there are")
        if predictions is not None or not Path(what).is_dir():
            raise UserError(f"longdoc score RUN_FOLDER, or longdoc score {what} PREDICTIONS REFERENCES")
        scores = api.rescore(
            Path(what),
            metrics=lists.components("metrics", metrics or []),
            data=data,
            report=report,
            judge=judge,
            judge_prompts_from=judge_prompts_from,
        )
    else:
        refused = {"--metric": metrics, "--data": data, "--no-report": not report, "--judge": judge}
        _refuse(
            {**refused, "--judge-prompts-from": judge_prompts_from},
            "a run's folder; files are scored by: longdoc score METRIC PREDICTIONS REFERENCES",
        )
        golds = read_outputs(references, "references")
        scores = api.score(what, _single(read_outputs(predictions, "predictions")), golds)
    if as_json:
        print(json.dumps(scores, indent=2, ensure_ascii=False))
    else:
        say(_table(scores))


def _refuse(given: Mapping[str, Any], what_for: str) -> None:
    """Raise `UserError` for the first option that was given, and is for something else."""
    if wrong := next((flag for flag, value in given.items() if value), None):
        raise UserError(f"{wrong} is for {what_for}")


def _score_predictions(task: str, path: Path, metrics: Any, given: Mapping[str, Any], as_json: bool) -> None:
    """Score a benchmark's file of predictions; exit code 1 where requests of a judge failed."""
    from pipelines.evaluation.score_predictions import score_predictions

    scores = score_predictions(task, path, metrics=metrics or None, **given)
    show(scores, as_json)
    if scores.judging.get("failures"):
        raise typer.Exit(1)


def _single(outputs: Any) -> Any:
    """Predictions: the one output of each row."""
    pairs = list(outputs.items()) if isinstance(outputs, dict) else list(enumerate(outputs, 1))
    for name, texts in pairs:
        if len(texts) != 1:
            raise UserError(f"prediction {name} holds {len(texts)} texts, not one: is that the file of references?")
    return {name: texts[0] for name, texts in pairs} if isinstance(outputs, dict) else [texts[0] for _, texts in pairs]


def _table(record: Mapping[str, Any]) -> str:
    """Scores by name, or a run's `scores.json`, line by line."""
    from pipelines.results import judging

    lines = [f"{name:<16} {value:7.2f}" for name, value in record.get("scores", record).items()]
    for what in ("not_computed", "not_recomputed"):
        lines += [f"{name:<16} {what.replace('_', ' ')}: {reason}" for name, reason in record.get(what, {}).items()]
    said = record.get("judging", {})
    return "\n".join([*lines, *judging.lines(said), *judging.agreement_lines(said)])


COMMANDS = (run, prompt, score)
