"""The command for lm-evaluation-harness: lm-eval, which hands over to it."""

from typing import Annotated

import typer

from pipelines.cli.shared.help import passing_on


@passing_on
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
    from pipelines.plugins.bridges.lm_eval_command import evaluate

    evaluate(arguments)
