"""Options that commands share, and how commands print records."""

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
    """An option under a heading of `--help` (`help.GROUPS`), its value called `metavar` and read by `parser`."""
    return typer.Option(
        *flags, help=help, metavar=metavar, rich_help_panel=group, show_default=show_default, parser=parser
    )


Task = Annotated[str, typer.Argument(help="A task of `longdoc list tasks`.")]


DataNow = Annotated[str | None, option("Where the data are now; default: where the run had them.", "PATH")]
ReaderOfRun = Annotated[
    str | None,
    option("The run's reader, where run.json may not name it: an API's.", "MODEL", flags=("--model", "-m")),
]


def show(
    record: Any, as_json: bool, rendered: Callable[[Any], "RenderableType"] | None = None, exact: bool = False
) -> None:
    """Print a record: as JSON, on a terminal as `rendered` makes it, else as text.

    `exact`: where standard output is no terminal, the text is printed to the letter.
    """
    if as_json:
        print(terminal.to_json(record.to_dict()))
    elif rendered is not None and not terminal.is_plain():
        terminal.draw(rendered(record))
    else:
        say(str(record), exact)


def show_table(record: Any, as_json: bool) -> None:
    """Print a record that is a table: as JSON, fitted to a terminal, else as plain text."""
    from pipelines.display.table_display import show_view

    if as_json:
        show(record, True)
    else:
        show_view(record)


def say(text: str, exact: bool = False) -> None:
    """Print text: on a terminal with its lines broken between words, elsewhere as it is.

    `exact`: to the letter, but for what would command a terminal.
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


def show_result(result: Any, as_json: bool, signatures: bool) -> None:
    """Print a finished run; `signatures`: with what decides each score, which JSON has always."""
    if as_json or terminal.is_plain():
        print(terminal.to_json(result.to_dict()) if as_json else result.plain(signatures))
    else:
        from pipelines.cli.shared import render

        terminal.draw(render.result(result, signatures))


def show_answer(answer: Any, full: bool) -> None:
    """Print an answer: wrapped, bold and coloured on a terminal (no colours under NO_COLOR), else plain."""
    if terminal.is_plain():
        print(terminal.visible(answer.plain(full)))
    else:
        terminal.draw(answer.rich(full))


def renderer(name: str) -> Callable[[Any], "RenderableType"]:
    """A function of `pipelines.cli.shared.render`, imported when something is rendered."""

    def rendered(record: Any) -> "RenderableType":
        from pipelines.cli.shared import render

        table: RenderableType = getattr(render, name)(record)
        return table

    return rendered


def data_by_task(tasks: Sequence[str], data: str | Mapping[str, str] | Sequence[str]) -> Any:
    """What was given as --data: the data of the only task, or a mapping from tasks (TASK=PATH). Raises `UserError`.

    A file of arguments has a path, or the mapping itself.
    """
    if isinstance(data, (str, Mapping)):
        return data
    if len(tasks) == 1 and len(data) == 1 and not data[0].startswith(f"{tasks[0]}="):
        return data[0]
    named_pairs = [text.partition("=") for text in data]
    if len(data) < 2 and not (data and "=" in data[0] and not Path(data[0]).exists()):
        return next(iter(data), None)
    if len(tasks) == 1:
        raise UserError(f"{tasks[0]} has one --data; {len(data)} are given")
    if wrong_text := next((text for text, equals, _ in named_pairs if not equals), None):
        raise UserError(f"--data {wrong_text}: of several tasks say whose data they are, as in --data {tasks[0]}=PATH")
    return {task: path for task, _, path in named_pairs}


@contextmanager
def recorded_command() -> Iterator[None]:
    """While the block runs, what was typed is recorded as the command of a run's start."""
    from pipelines.engine.planning import spec

    typed_value = spec.command.set(shlex.join(["longdoc", *sys.argv[1:]]))
    try:
        yield
    finally:
        spec.command.reset(typed_value)
