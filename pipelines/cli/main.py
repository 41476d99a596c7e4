"""The command line: parses, calls a verb, prints. `longdoc --help` lists the commands."""

import errno
import io
import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from longdoc import __version__
from longdoc.errors import UserError
from pipelines.cli import ablate, benchmarks, compare, data, help, report, runs
from pipelines.cli.options import (
    AllowCode,
    Budget,
    Chunker,
    Data,
    Deterministic,
    Device,
    Dtype,
    Json,
    K,
    Limit,
    MaxIn,
    MaxNew,
    Metric,
    Model,
    Options,
    Order,
    PromptText,
    Query,
    Retriever,
    Revision,
    Sample,
    Seed,
    Split,
    Strategy,
    drawn,
    given,
    option,
    say,
    show,
    show_answer,
)
from pipelines.results.display import terminal

SHOWN = 100  # characters of a path in a message
INTERRUPTED = 130  # what typer makes of Ctrl-C, and shells of SIGINT
ROOM, RIGHTS = "make room", "get the right to it, or name another place"
OTHER = "name another place"
CURES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), ROOM),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), RIGHTS),
    **dict.fromkeys((errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR), OTHER),
}
RESUMING = {"run", "ablate", "train"}

app = typer.Typer(
    name="longdoc",
    cls=help.Group,
    add_completion=False,
    context_settings={"max_content_width": 100},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Read long documents with short models: split, rank, read, recombine, score."""
    if version:
        print(__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command(cls=help.Command)
def run(
    task: Annotated[str, typer.Argument(help="A task of `longdoc tasks`.")],
    data: Data = None,
    split: Split = None,
    limit: Limit = None,
    sample: Sample = None,
    chunker: Chunker = None,
    retriever: Retriever = None,
    k: K = None,
    budget: Budget = None,
    query: Query = None,
    order: Order = None,
    strategy: Strategy = None,
    model: Model = None,
    prompt: PromptText = None,
    metric: Metric = None,
    max_new_tokens: MaxNew = None,
    max_input_tokens: MaxIn = None,
    device: Device = None,
    dtype: Dtype = None,
    deterministic: Deterministic = False,
    revision: Revision = None,
    out: Annotated[Path | None, option("The run's folder; the same run again resumes it.", "FOLDER")] = None,
    engine: Annotated[str, option('"local", "local:workers=4".', "ENGINE")] = "local",
    seed: Seed = 0,
    model_option: Options = None,
    dry_run: Annotated[bool, option("Only count examples, requests, tokens and pairs.", flags=("--dry-run",))] = False,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Run a task and score it.

    Example: longdoc run narrativeqa --data sample --retriever tfidf --model extractive
    """
    from pipelines import api
    from pipelines.engine import spec

    arguments = given(locals(), "task", "out", "dry_run", "as_json", "deterministic", "spec")
    if dry_run:
        show(api.dry_run(task, **arguments), as_json)
        return
    typed = spec.command.set(shlex.join(["longdoc", *sys.argv[1:]]))
    try:
        result = api.run(task, out=out, deterministic=deterministic, **arguments)
    finally:
        spec.command.reset(typed)
    show(result, as_json, drawn("result"))
    if result.failures:
        raise typer.Exit(1)


@app.command(cls=help.Command)
def ask(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Files and folders, one or more.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="It comes last.")],
    chunker: Chunker = None,
    retriever: Retriever = None,
    k: K = None,
    model: Model = "extractive",
    max_new_tokens: MaxNew = None,
    device: Device = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Read files anew, keep no texts of them.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Print answer and passages whole.")] = False,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Ask documents of your own.

    Prints the answer and the passages it came from, with file and page.

    Reads text, Markdown, HTML, EPUB, PDF, Word (.docx) and subtitles, and folders of them.

    Example: longdoc ask book.epub notes/ "Who is the narrator's brother?"
    """
    from pipelines import api

    chosen = given(locals(), "files", "question", "no_cache", "full", "as_json")
    if not Path(files[-1]).exists() and Path(question).exists():
        raise UserError(f"the question comes last: longdoc ask {question} {files[-1]!r}")
    answer = api.ask(files, question, cache=not no_cache, **chosen)
    show(answer, True) if as_json else show_answer(answer, full)


@app.command(cls=help.Command)
def prompt(
    task: Annotated[str, typer.Argument(help="A task of `longdoc tasks`.")],
    example: Annotated[str, typer.Argument(metavar="ID", help="The id of an example.")],
    data: Data = None,
    split: Split = None,
    chunker: Chunker = None,
    retriever: Retriever = None,
    k: K = None,
    budget: Budget = None,
    query: Query = None,
    order: Order = None,
    strategy: Strategy = None,
    model: Model = None,
    prompt: PromptText = None,
    max_input_tokens: MaxIn = None,
    revision: Revision = None,
    seed: Seed = 0,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Print the exact text that the reader gets for one example.

    Of several requests the first; where pairs of paragraphs are compared, the first pair.

    Example: longdoc prompt narrativeqa sample-01 --data sample --model extractive
    """
    from pipelines import api

    show(api.prompt(task, example, **given(locals(), "task", "example", "as_json")), as_json, exact=True)


@app.command(cls=help.Command)
def score(
    what: Annotated[str, typer.Argument(help="A run's folder, or a task or metric.")],
    predictions: Annotated[Path | None, typer.Argument(help="JSON {id: text}, JSON Lines, or a text a line.")] = None,
    references: Annotated[Path | None, typer.Argument(help="The same with references.")] = None,
    allow_code: AllowCode = None,
    as_json: Json = False,
) -> None:
    """Score a run's folder again, or predictions against references.

    Example: longdoc score rouge-l predictions.jsonl references.jsonl
    """
    from pipelines import api
    from pipelines.sources.own.outputs import read_outputs

    if predictions is None or references is None:
        if predictions is not None or not Path(what).is_dir():
            raise UserError(f"longdoc score RUN_FOLDER, or longdoc score {what} PREDICTIONS REFERENCES")
        figures = api.rescore(Path(what))
    else:
        golds = read_outputs(references, "references")
        figures = api.score(what, _single(read_outputs(predictions, "predictions")), golds)
    if as_json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    else:
        say(_figures(figures))


@app.command(cls=help.Command)
def tasks(as_json: Json = False) -> None:
    """List the tasks with their recipes.

    Example: longdoc tasks
    """
    from pipelines.tasks import all_tasks

    rows = {
        name: {"summary": task.summary, "split": task.split, "chunker": task.chunker, "retriever": task.retriever,
               "k": task.k, "strategy": task.strategy, "model": task.model, "metrics": list(task.metrics),
               "max_new_tokens": task.max_new_tokens, "floor": task.floor, "notes": task.notes}
        for name, task in sorted(all_tasks().items())
    }  # fmt: skip
    if as_json:
        print(json.dumps(rows, indent=2))
    elif terminal.plain():
        width = max(map(len, rows))
        for name, row in rows.items():
            print(f"{name:<{width}} {row['summary']}\n{'':<{width}} {_recipe(row)}")
            print(f"{'':<{width}} {', '.join(all_tasks()[name].metrics)}")
    else:
        from pipelines.cli import render

        terminal.draw(render.tasks(rows, _recipe))


@app.command(cls=help.Command)
def components(as_json: Json = False) -> None:
    """List the components with their parameters.

    Chunkers, retrievers, readers, encoders, strategies, metrics, builders, recipes.

    Example: longdoc components
    """
    from pipelines.cli.components import catalogue

    found = catalogue()
    if as_json:
        print(json.dumps(found, indent=2))
    elif terminal.plain():
        for kind, rows in found.items():
            print(kind)
            for name, row in rows.items():
                fields = _fields(row)
                print(f"  {name:<24} {row['summary']}" + (f"\n  {'':<24} {fields}" if fields else ""))
    else:
        from pipelines.cli import render

        terminal.draw(render.components(found, _fields))


for _command in (
    *ablate.COMMANDS,
    *compare.COMMANDS,
    *data.COMMANDS,
    *benchmarks.COMMANDS,
    *report.COMMANDS,
    *runs.COMMANDS,
):
    app.command(cls=help.Command)(_command)


def main() -> None:
    """Run the command line; a user's mistake is one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):  # a character that the terminal's encoding lacks is no reason to end
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    resumes = bool(set(sys.argv[1:2]) & RESUMING)
    try:
        code = app(prog_name="longdoc", standalone_mode=False)
    except UserError as error:
        raise SystemExit(_complain(str(error), 2)) from None
    except typer.TyperException as error:
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        path = getattr(getattr(error, "ctx", None), "command_path", "longdoc")
        raise SystemExit(_complain(f"{message} (see {path} --help)", 2)) from None
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # as typer ends when `| head` has enough
            raise SystemExit(0) from None
        raise
    except OSError as error:
        if error.errno not in CURES:
            raise
        what = f"{str(error.filename)[:SHOWN]}: " if error.filename else ""
        again = "start the same command again to go on" if resumes else "start the command again"
        raise SystemExit(_complain(f"{what}{error.strerror}: {CURES[error.errno]}, then {again}", 2)) from None
    if code == INTERRUPTED:
        again = "; start the same command again to go on" if resumes else ""
        _complain(f"stopped{again}", INTERRUPTED)
    raise SystemExit(code if isinstance(code, int) else 0)


def _complain(message: str, code: int) -> int:
    print(f"longdoc: {terminal.visible(' '.join(message.split()))}", file=sys.stderr)
    return code


def _recipe(row: Mapping[str, Any]) -> str:
    """A task's recipe in a line."""
    selected = row["retriever"] if row["retriever"] == "all" else f"{row['retriever']} k={row['k']}"
    return f"{row['chunker']} → {selected} → {row['strategy']} → {row['model']}"


def _fields(row: Mapping[str, Any]) -> str:
    """A component's parameters with their defaults."""
    return ", ".join(f"{field}={_shown(default)}" for field, default in row["parameters"].items())


def _shown(value: Any) -> Any:
    """A default as it would be typed: a word as it is, anything else as JSON."""
    return value if isinstance(value, str) and value.isprintable() and value else json.dumps(value)


def _single(outputs: Any) -> Any:
    """Predictions: the one output of each row."""
    pairs = list(outputs.items()) if isinstance(outputs, dict) else list(enumerate(outputs, 1))
    for name, texts in pairs:
        if len(texts) != 1:
            raise UserError(f"prediction {name} holds {len(texts)} texts, not one: is that the file of references?")
    return {name: texts[0] for name, texts in pairs} if isinstance(outputs, dict) else [texts[0] for _, texts in pairs]


def _figures(figures: Mapping[str, Any]) -> str:
    scores = figures.get("scores", figures)
    lines = [f"{name:<16} {value:7.2f}" for name, value in scores.items()]
    for what in ("not_computed", "not_recomputed"):
        lines += [f"{name:<16} {what.replace('_', ' ')}: {reason}" for name, reason in figures.get(what, {}).items()]
    return "\n".join(lines)
