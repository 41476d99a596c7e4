"""What `--help` prints: options in groups, commands by what they are for, examples that can be copied.

typer's own boxes take a quarter of an 80-column line and read `[bm25,dense]` as markup; this is plain text, with
bold headings where the terminal has them.
"""

import inspect
import re
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from pipelines.cli.commands import GROUPS as GROUPS_OF_COMMANDS
from pipelines.cli.shared.shared_options import shared_options
from pipelines.display import terminal

PANELS = {
    "Every day": (
        "run", "ask", "evidence", "ablate", "versus", "compare", "report", "view", "show", "blame",
    ),
    "Further": ("rerun", "score", "prompt", "plan", "cost", "train"),
    "Groups of commands": ("runs", "list", "data", "analyze", "benchmark", "bridge"),
}  # fmt: skip
GROUPS = ("Data", "Passages", "Reader", "Judge", "Options")  # of options; those without a group go to the last
EXAMPLE = re.compile(r"^Example: *(longdoc .+)$", re.MULTILINE)


def examples(command: Any) -> list[str]:
    """The command lines that a command's docstring gives as examples."""
    return EXAMPLE.findall(inspect.cleandoc(command.help or ""))


def summary(command: Any) -> str:
    """The first paragraph of a command's docstring, in a line."""
    return " ".join(inspect.cleandoc(command.help or "").partition("\n\n")[0].split())


class Command(TyperCommand):
    """A command whose help has its options by groups and its examples unbroken; it takes the shared options, too."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its own parameters and those that all commands share."""
        return [*super().get_params(ctx), *shared_options()]

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """The usage line, arguments as `NAME` or `[NAME]`."""
        _usage(self, ctx, formatter, [])

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """What the command does, then its examples, each on a line of its own however long."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(EXAMPLE.sub("", inspect.cleandoc(self.help or "")).strip())
        if lines := examples(self):
            with formatter.section(_bold("Examples" if len(lines) > 1 else "Example")):
                formatter.write("".join(f"  {line}\n" for line in lines))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, then the options group by group."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{name: [] for name in GROUPS}}
        for param in super().get_params(ctx):
            if (record := param.get_help_record(ctx)) is not None:
                argument = param.param_type_name == "argument"
                group = "Arguments" if argument else getattr(param, "rich_help_panel", None) or GROUPS[-1]
                sections.setdefault(group, []).append((_name(param), record[1]))
        _sections(formatter, sections)


class PassingCommand(Command):
    """A command that passes options on that it does not know, the shared ones among them."""

    ignore_unknown_options = True

    def get_params(self, ctx: Any) -> list[Any]:
        """Its own parameters."""
        return TyperCommand.get_params(self, ctx)


class SubGroup(TyperGroup):
    """Commands behind one word."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """The usage line."""
        _usage(self, ctx, formatter, ["COMMAND …"])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The commands."""
        _sections(formatter, {"Commands": [(name, summary(self.commands[name])) for name in self.list_commands(ctx)]})


class Group(TyperGroup):
    """The command line's first page: commands by what they are for."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """The usage line."""
        _usage(self, ctx, formatter, ["COMMAND …"])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Panels in the order of use, a command that is in none of them after these; then the options."""
        rows = {name: summary(self.commands[name]) for name in self.list_commands(ctx)}
        panels = {title: [name for name in names if name in rows] for title, names in PANELS.items()}
        for word, group in GROUPS_OF_COMMANDS.items():
            rows[word] = ", ".join(group.commands)
        sections = {title: [(name, rows[name]) for name in names] for title, names in panels.items()}
        own_records = [(_name(param), param.get_help_record(ctx)) for param in self.get_params(ctx)]
        _sections(formatter, sections)
        shared_records = [(_name(param), param.get_help_record(ctx)) for param in shared_options()]
        for title, records in (("Options", own_records), ("Options of every command", shared_records)):
            _sections(formatter, {title: [(name, record[1]) for name, record in records if record is not None]})
        formatter.write_paragraph()
        formatter.write("longdoc COMMAND --help says more, with an example.\n")


def _usage(command: Any, ctx: Any, formatter: Any, more_names: list[str]) -> None:
    """Usage: path, `[OPTIONS]`, arguments."""
    pieces = [command.options_metavar or "", *more_names]
    for param in command.get_params(ctx):
        if param.param_type_name == "argument":
            pieces.append(_name(param) if param.required else f"[{_name(param)}]")
    formatter.write_usage(ctx.command_path, " ".join(pieces), prefix=_bold("Usage:") + " ")


def _name(param: Any) -> str:
    """`-k, --k N`, or an argument's `TASK`; of a flag the name that changes its default."""
    if param.param_type_name == "argument":
        return param.metavar or str(param.name).upper()
    value = "" if param.is_flag else f" {param.metavar or str(param.name).upper()}"
    flags = param.secondary_opts if param.secondary_opts and param.default is True else param.opts
    return ", ".join(sorted(flags, key=len)) + value


def _sections(formatter: Any, sections: dict[str, list[tuple[str, str]]]) -> None:
    """Sections with one column of names for all, so that the page lines up."""
    width = max((len(name) for rows in sections.values() for name, _ in rows), default=0)
    for title, rows in sections.items():
        if rows:
            with formatter.section(_bold(title)):
                formatter.write_dl([(_coloured(name.ljust(width)), text) for name, text in rows], col_max=width)


def _bold(text: str) -> str:
    return typer.style(text, bold=True) if terminal.coloured() else text


def _coloured(text: str) -> str:
    return typer.style(text, fg="cyan") if terminal.coloured() else text
