"""The commands `ask` and `data index`: ask one's own documents, and index them beforehand."""

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.cli.shared.options import option, show, show_answer
from pipelines.cli.shared.run_options import takes_run_options, typer_option
from pipelines.cli.shared.shared_options import Json
from pipelines.display import terminal
from pipelines.engine import interruption_note

if TYPE_CHECKING:
    from pipelines.plugins.ask.indexing.document_index import DocumentIndex
    from pipelines.results.rendered_prompt import RenderedPrompt

Model = Annotated[str, typer_option("model")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Read files again, and keep no copy of their texts.")]


@takes_run_options("ask", before={"model": "max_new_tokens"}, keys={"model": str | Mapping[str, Any]})
def ask(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE… [QUESTION]",
            help="Files and folders, then the question, or - to read it from standard input.",
        ),
    ],
    arguments: Mapping[str, Any],
    model: Model = "extractive",
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ask many questions; from a pipe, one per line.")
    ] = False,
    no_cache: NoCache = False,
    full: Annotated[bool, typer.Option("--full", help="Print answer and passages whole.")] = False,
    page: Annotated[Path | None, option("Write answer and passages as a page.", "FILE", flags=("--html",))] = None,
    show_prompt: Annotated[bool, typer.Option("--show-prompt", help="Print the prompt without sending it.")] = False,
    as_json: Json = False,
) -> None:
    """Ask documents of your own.

    Prints the answer with its file and page. Without a question it starts a prompt that keeps documents and model
    loaded. Reads text, Markdown, HTML, EPUB, PDF, Word, subtitles, mail, JSON, CSV and folders of them.

    Example: longdoc ask book.epub notes/ "Who is the narrator's brother?"

    Example: longdoc ask notes/
    """
    from pipelines.plugins.ask import page as pages
    from pipelines.plugins.ask.cli import prompt
    from pipelines.plugins.ask.cli.session import Session, without_unread
    from pipelines.plugins.ask.cli.words import STDIN, files_and_question, question_from_stdin

    if "server" not in arguments or model != "extractive":  # with a server, a name of one of its models alone
        arguments = {"model": model, **arguments}

    files, question = files_and_question(words)
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if interactive and question == STDIN:
        question = None
    if interactive or (question is None and at_terminal):
        _refuse_in_session("--html", page is not None, "type the question last, or :save page.html at the prompt")
        _refuse_in_session("--show-prompt", show_prompt, "type the question last")
        session = Session(lambda: _read(files, not no_cache, arguments), full=full, as_json=as_json)
        if at_terminal:
            prompt.at_terminal(session, question)
        elif not prompt.from_lines(session, question):
            raise typer.Exit(1)
        return
    if question is None:
        raise UserError("there is no question: type it last, or - to read it from standard input, or --interactive")
    if page is not None and not page.parent.is_dir():
        raise UserError(f"{page.parent} is not a folder: make it, or write the page elsewhere")
    question = question_from_stdin() if question == STDIN else question
    documents = _read(files, not no_cache, arguments)
    if show_prompt:
        _show_prompt(documents.prompt(question), as_json)
        return
    answer = documents.ask(question)
    if page is not None:  # before a pipe may break
        pages.write(answer, page)
    show(answer, True) if as_json else show_answer(without_unread(answer, documents), full)
    if page is not None:
        print(terminal.visible(f"page: {page}"), file=sys.stderr)
    if documents.unread:
        raise typer.Exit(1)


def _read(files: Sequence[str], cache: bool, arguments: Mapping[str, Any]) -> "DocumentIndex":
    """The documents; warns at once of named files that could not be read."""
    from pipelines.plugins.ask.indexing.document_index import DocumentIndex

    documents = DocumentIndex(list(files), cache, **arguments)
    for line in documents.unread:
        terminal.warn(line)
    return documents


def _refuse_in_session(flag: str, is_given: bool, hint: str) -> None:
    """Raise `UserError` for a flag that does not go with many questions."""
    if is_given:
        raise UserError(f"{flag} is for one question: {hint}")


def _show_prompt(prompt: "RenderedPrompt", as_json: bool) -> None:
    """Print a prompt to the letter on standard output, and its length on standard error."""
    show(prompt, as_json, exact=True)
    cut = f", {prompt.truncated_tokens:,} more were cut" if prompt.truncated_tokens else ""
    print(f"({prompt.tokens:,} tokens{cut}; nothing was asked)", file=sys.stderr)


@takes_run_options("index", keys={})
def index(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="Files and folders, one or more.")],
    arguments: Mapping[str, Any],
    model: Model = "extractive",
    no_cache: NoCache = False,
    as_json: Json = False,
) -> None:
    """Index documents of your own beforehand.

    Encodes the passages of files and folders, so that `longdoc ask` with the same retriever and chunker encodes only
    the question. Changed files have only their own passages encoded again. Interrupted, it goes on where it was.

    Example: longdoc data index notes/ --retriever dense
    """
    from pipelines.plugins.ask.indexing.index_summary import IndexSummary

    started = time.monotonic()
    options = arguments if model == "extractive" else {**arguments, "model": model}
    documents = _read(files, not no_cache, options)
    with interruption_note.noting_errors(lambda: IndexSummary.interrupted(documents)):
        documents.build()
    show(IndexSummary.of(documents, files, options, time.monotonic() - started), as_json)
    if documents.unread:
        raise typer.Exit(1)
