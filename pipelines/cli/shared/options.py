"""Options that several commands declare, and how commands print records."""

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longdoc.errors import UserError
from pipelines.display import terminal

if TYPE_CHECKING:
    from rich.console import RenderableType


def option(
    help: str,
    metavar: str | None = None,
    group: str | None = None,
    flags: tuple[str, ...] = (),
    show_default: bool = True,
    parser: Callable[[str], Any] | None = None,
) -> Any:
    """An option of a command. `group` is its heading in `--help` (`help.GROUPS`), `metavar` the name of its value."""
    return typer.Option(
        *flags, help=help, metavar=metavar, rich_help_panel=group, show_default=show_default, parser=parser
    )


Details = Annotated[bool, option("Print all scores and notes, and how they are made.", flags=("--details",))]
Task = Annotated[str, typer.Argument(help="A task of `longdoc list tasks`.")]


DataNow = Annotated[str | None, option("Where the data are now, if they were moved.", "PATH")]
ReaderOfRun = Annotated[
    str | None,
    option("The run's reader, if run.json does not name it.", "MODEL", flags=("--model", "-m")),
]


def show(
    record: Any, as_json: bool, rich_form: Callable[[Any], "RenderableType"] | None = None, exact: bool = False
) -> None:
    """Print a record: as JSON, on a terminal as `rich_form` makes it, else as text.

    `exact`: text that goes to a pipe or a file is printed to the letter.
    """
    if as_json:
        print(terminal.to_json(record.to_dict()))
    elif rich_form is not None and not terminal.is_plain():
        terminal.draw(rich_form(record))
    else:
        say(str(record), exact)


def show_table(record: Any, as_json: bool) -> None:
    """Print a record that is a table: as JSON, fitted to the terminal, or as plain text."""
    from pipelines.display.table_display import show_view

    if as_json:
        show(record, True)
    else:
        show_view(record)


def say(text: str, exact: bool = False) -> None:
    """Print text: on a terminal with its lines broken between words, elsewhere as it is.

    `exact`: to the letter, except control characters on a terminal.
    """
    if exact and not sys.stdout.isatty():
        print(text)
    elif exact or terminal.is_plain():
        print(terminal.visible(text))
    else:
        from rich.text import Text

        terminal.draw(Text(terminal.visible(text)))


def say_path(file: Path) -> None:
    """Print the path of a file that was written: on a terminal as a link that opens it."""
    if terminal.is_plain():
        print(terminal.visible(str(file)))
    else:
        terminal.draw(terminal.unbroken(str(file), f"link {file.absolute().as_uri()}"))


def show_result(result: Any, as_json: bool, details: bool) -> None:
    """Print a finished run; `details` adds every score and note, which JSON always has."""
    if as_json or terminal.is_plain():
        print(terminal.to_json(result.to_dict()) if as_json else result.plain(details))
    else:
        from pipelines.cli.shared import render

        terminal.draw(render.result(result, details))


def show_answer(answer: Any, full: bool) -> None:
    """Print an answer: wrapped, bold and coloured on a terminal (no colours under NO_COLOR), else plain."""
    if terminal.is_plain():
        print(terminal.visible(answer.plain(full)))
    else:
        terminal.draw(answer.rich(full))


def renderer(name: str) -> Callable[[Any], "RenderableType"]:
    """The function `name` of `render`, whose module is imported when it is called: rich is slow to import."""

    def rich_form(record: Any) -> "RenderableType":
        from pipelines.cli.shared import render

        table: RenderableType = getattr(render, name)(record)
        return table

    return rich_form


def data_by_task(tasks: Sequence[str], data: str | Mapping[str, str] | Sequence[str]) -> Any:
    """The values of --data: a path for one task, else a mapping from tasks (TASK=PATH). Raises `UserError`.

    A text or a mapping, as files of arguments have it, is returned as it is.
    """
    if isinstance(data, (str, Mapping)):
        return data
    if len(tasks) == 1 and len(data) == 1 and not data[0].startswith(f"{tasks[0]}="):
        return data[0]
    pairs = [text.partition("=") for text in data]
    if len(data) < 2 and not (data and "=" in data[0] and not Path(data[0]).exists()):
        return next(iter(data), None)
    if len(tasks) == 1:
        raise UserError(f"{tasks[0]} takes one --data, got {len(data)}")
    if bare_path := next((text for text, equals, _ in pairs if not equals), None):
        raise UserError(
            f"--data {bare_path}: with several tasks name the task of each path, as in --data {tasks[0]}=PATH"
        )
    return {task: path for task, _, path in pairs}


@contextmanager
def recorded_command() -> Iterator[None]:
    """Let runs that start in this block record the command that was typed."""
    from pipelines.engine.planning import spec

    token = spec.command.set(shlex.join(["longdoc", *sys.argv[1:]]))
    try:
        yield
    finally:
        spec.command.reset(token)
