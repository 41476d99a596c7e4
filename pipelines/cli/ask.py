"""The command that asks one's own documents: ask."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.options import AllowCode, Json, show, show_answer
from pipelines.cli.run_options import takes_run_options, typer_option

if TYPE_CHECKING:
    from pipelines.results.records import RenderedPrompt


@takes_run_options("ask", before={"model": "max_new_tokens"}, keys={"model": str | Mapping[str, Any]})
def ask(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Files and folders, one or more.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="It comes last.")],
    arguments: Mapping[str, Any],
    model: Annotated[str, typer_option("model")] = "extractive",
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Read files anew, keep no texts of them.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Print answer and passages whole.")] = False,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what the model would get, and ask nothing.")
    ] = False,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Ask documents of your own.

    Prints the answer and the passages it came from, with file and page.

    Reads text, Markdown, HTML, EPUB, PDF, Word (.docx) and subtitles, and folders of them.

    Example: longdoc ask book.epub notes/ "Who is the narrator's brother?"
    """
    from pipelines.answers import ask as answers

    if not Path(files[-1]).exists() and Path(question).exists():
        raise UserError(f"the question comes last: longdoc ask {question} {files[-1]!r}")
    if show_prompt:
        index = answers.DocumentIndex(files, not no_cache, model=model, **arguments)
        _show(index.prompt(question), as_json)
        return
    answer = answers.ask(files, question, model=model, cache=not no_cache, **arguments)
    show(answer, True) if as_json else show_answer(answer, full)


def _show(prompt: "RenderedPrompt", as_json: bool) -> None:
    """Print a prompt to the letter on standard output, and its length on standard error."""
    show(prompt, as_json, exact=True)
    cut = f", {prompt.truncated_tokens:,} more were cut" if prompt.truncated_tokens else ""
    print(f"({prompt.tokens:,} tokens{cut}; nothing was asked)", file=sys.stderr)


COMMANDS = (ask,)
