"""The commands for lm-evaluation-harness: lm-eval, which hands over to it, and lm-task."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shared.options import Task, option, show
from pipelines.cli.shared.shared_options import Json


def lm_eval(
    arguments: Annotated[
        list[str], typer.Argument(metavar="ARGUMENTS", help="Those of the command lm-eval, without --model.")
    ],
) -> None:
    """Run lm-evaluation-harness with a reader of longdoc.

    Over-long prompts get the best passages of their document instead of being cut. Everything is passed on to the
    harness' own command (lm-eval run --help); --model_args are the reader and how passages are selected.

    Example: longdoc bridge lm-eval --model_args reader=Qwen/Qwen3-0.6B,retriever=bm25,k=9 --tasks scrolls_qasper
    """
    from pipelines.bridges.lm_eval_command import evaluate

    evaluate(arguments)


def lm_task(
    task: Task,
    out: Annotated[Path, option("A new folder, or one that this command wrote.", "FOLDER")],
    data: Annotated[str | None, option('"sample", or a local file or folder.', "PATH")] = None,
    split: Annotated[str | None, option("Default: the task's scored split.", "SPLIT")] = None,
    limit: Annotated[int | None, option("The first N examples.", "N")] = None,
    prompt: Annotated[str | None, option('A template: "{query} {document}".', "PROMPT")] = None,
    prompts_from: Annotated[str | None, option("The benchmark's own file of prompts.", "FILE")] = None,
    metrics: Annotated[list[str] | None, option("A metric; may be given again.", "METRIC", flags=("--metric",))] = None,
    max_new_tokens: Annotated[int | None, option("Output length.", "TOKENS")] = None,
    as_json: Json = False,
) -> None:
    """Write a task for lm-evaluation-harness.

    It is scored there by our metrics. The harness' own models, and those of `longdoc bridge lm-eval`, take it by
    --include_path. The harness is not needed to write it.

    Example: longdoc bridge lm-task scrolls/qasper --data qasper.json --out tasks/qasper
    """
    from pipelines.bridges.lm_eval_task import lm_task as write

    arguments = {"data": data, "split": split, "limit": limit, "prompt": prompt, "prompts_from": prompts_from}
    written_written_task = write(task, out, **arguments, metrics=metrics, max_new_tokens=max_new_tokens)  # type: ignore[arg-type]
    show(written_written_task, as_json)
