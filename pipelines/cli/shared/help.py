"""What `--help` prints: options in groups, commands by purpose, and examples to copy.

typer's own boxes take a quarter of an 80-column line and read `[bm25,dense]` as markup; this is plain text, with
bold headings where the terminal has them.
"""

import functools
import inspect
import re
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from pipelines.cli.commands import groups
from pipelines.cli.shared.shared_options import options_of, shared_options
from pipelines.display import terminal

FIRST, MORE, IN_GROUPS = "Commands", "More commands", "Groups of commands"
PANELS = {
    FIRST: ("ask", "run", "ablate", "versus", "compare", "evidence", "report", "view", "show", "list"),
    MORE: ("blame", "rerun", "score", "prompt", "plan", "cost", "train"),
    IN_GROUPS: ("runs", "data", "analyze", "benchmark", "bridge"),
}
# Options that few need, which `--help` of a command with many options leaves to `--help-all`: "ARGUMENT", or
# "COMMAND ARGUMENT" for one that is rare in that command only.
RARE = frozenset({
    "data_revision", "split", "prompts_from", "sample", "shard", "query", "order", "judge", "judge_prompts_from",
    "seed", "engine", "go_on", "report", "config", "pilot", "no_cache", "set_options", "primary_metric", "yes",
    "strategies", "over_window", "versus strategy",
})  # fmt: skip
MANY = 16  # options that fit on a screen with the rest of a command's help
GROUPS = ("Data", "Passages", "Reader", "Judge", "Options")  # of options; those without a group go to the last
EXAMPLE = re.compile(r"^Example: *(longdoc .+)$", re.MULTILINE)
EVERYTHING = f"{__name__}.everything"  # key in a context's `meta`: `--help-all` was typed
_PASSING: set[Any] = set()  # functions of commands that pass unknown options on to another program


def passing_on(command: Any) -> Any:
    """Decorate a command that gets its unknown options, too, as `bridge lm-eval` does."""
    _PASSING.add(command)
    return command


def passes_unknown(command: Any) -> bool:
    """Whether a command accepts unknown options and passes them on."""
    return command in _PASSING


def examples(command: Any) -> list[str]:
    """The command lines that a command's docstring gives as examples."""
    return EXAMPLE.findall(inspect.cleandoc(command.help or ""))


def summary(command: Any) -> str:
    """The first paragraph of a command's docstring, on one line."""
    return " ".join(inspect.cleandoc(command.help or "").partition("\n\n")[0].split())


def one_value_each(words: list[str], parameters: list[Any]) -> list[str]:
    """The words with an option before each of its values: `qa -k 1 2 5` as `qa -k 1 -k 2 -k 5`.

    Words after the first value are values as well if the option is repeatable, and if they are numbers or the command's
    argument came before the option.
    """
    valued = {
        flag: parameter
        for parameter in parameters
        if parameter.param_type_name == "option" and not parameter.is_flag
        for flag in parameter.opts
    }
    spread: list[str] = []
    option, count, has_argument = "", 0, False  # the option whose values follow, and how many of them were read
    for position, word in enumerate(words):
        if word == "--":
            return [*spread, *words[position:]]
        if word in valued:
            option, count = word, 0
        elif option and not count:
            count = 1
        elif word.startswith("-"):
            option = ""
        elif option and valued[option].multiple and (has_argument or word.isdecimal()):
            spread.append(option)
        else:
            option, has_argument = "", True
        spread.append(word)
    return spread


def _declared(
    everything: Annotated[bool, typer.Option("--help-all", help="Show everything.", is_eager=True)] = False,
) -> None:
    """Do nothing: typer makes the option from the parameter."""


@functools.cache
def _help_all() -> Any:
    """The option `--help-all`, which prints what `--help` leaves out, too."""
    (option,) = options_of(_declared, _print_everything)
    return option


def _print_everything(context: Any, option: Any, is_wanted: bool) -> None:
    if is_wanted and not context.resilient_parsing:
        context.meta[EVERYTHING] = True
        print(context.get_help())
        context.exit()


class Command(TyperCommand):
    """A command with the shared options, whose help has groups of options and unbroken examples."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's own parameters and those that all commands share."""
        return [*super().get_params(ctx), _help_all(), *shared_options()]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; several values may follow one option: `-k 1 2 5`."""
        return super().parse_args(ctx, one_value_each(args, self.get_params(ctx)))

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the usage line, arguments as `NAME` or `[NAME]`."""
        _usage(self, ctx, formatter, [])

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the command does, then its examples, each on one line however long."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(EXAMPLE.sub("", inspect.cleandoc(self.help or "")).strip())
        if lines := examples(self):
            with formatter.section(_bold("Examples" if len(lines) > 1 else "Example")):
                formatter.write("".join(f"  {line}\n" for line in lines))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options by group; without the rare ones if there are many."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{name: [] for name in GROUPS}}
        params = super().get_params(ctx)
        is_short = len(params) > MANY and EVERYTHING not in ctx.meta
        hidden = [p for p in params if is_short and not RARE.isdisjoint((p.name, f"{self.name} {p.name}"))]
        for param in [*[param for param in params if param not in hidden], *([_help_all()] if hidden else [])]:
            if (help_record := param.get_help_record(ctx)) is not None:
                argument = param.param_type_name == "argument"
                group = "Arguments" if argument else getattr(param, "rich_help_panel", None) or GROUPS[-1]
                sections.setdefault(group, []).append((_name(param), help_record[1]))
        _sections(formatter, sections)
        if hidden:
            formatter.write_paragraph()
            formatter.write(f"{ctx.command_path} --help-all shows {len(hidden)} more options.\n")


class PassingCommand(Command):
    """A command that passes unknown options on, and has no shared ones."""

    ignore_unknown_options = True

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's own parameters."""
        return TyperCommand.get_params(self, ctx)


class SubGroup(TyperGroup):
    """A group of commands that share their first word."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the usage line."""
        _usage(self, ctx, formatter, ["COMMAND …"])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands of the group."""
        _sections(formatter, {"Commands": [(name, summary(self.commands[name])) for name in self.list_commands(ctx)]})


class Group(TyperGroup):
    """The first page of help: commands by purpose."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the usage line."""
        _usage(self, ctx, formatter, ["COMMAND …"])

    def get_params(self, ctx: Any) -> list[Any]:
        """The program's own parameters and `--help-all`."""
        return [*super().get_params(ctx), _help_all()]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the everyday commands and the names of the others, or with `--help-all` everything."""
        rows = {name: summary(self.commands[name]) for name in self.list_commands(ctx)}
        for word, group in groups().items():
            rows[word] = ", ".join(group.commands)
        panels = {title: [name for name in names if name in rows] for title, names in PANELS.items()}
        panel_names = {name for names in panels.values() for name in names}
        for name in [name for name in rows if name not in panel_names]:
            panels[IN_GROUPS if name in groups() else MORE].append(name)
        sections = {title: [(name, rows[name]) for name in names] for title, names in panels.items()}
        if EVERYTHING not in ctx.meta:
            first = [(name, groups()[name].help if name in groups() else rows[name]) for name in panels[FIRST]]
            _sections(formatter, {FIRST: first})
            other_names = ", ".join(panels[MORE] + [f"{name} …" for name in panels[IN_GROUPS]])
            with formatter.section(_bold(MORE)):
                formatter.write_text(other_names)
            formatter.write_paragraph()
            formatter.write("longdoc COMMAND --help explains a command, longdoc --help-all lists everything.\n")
            return
        own_records = [(_name(param), param.get_help_record(ctx)) for param in self.get_params(ctx)]
        _sections(formatter, sections)
        shared_records = [(_name(param), param.get_help_record(ctx)) for param in shared_options()]
        for title, records in (("Options", own_records), ("Options of every command", shared_records)):
            _sections(formatter, {title: [(name, record[1]) for name, record in records if record is not None]})
        formatter.write_paragraph()
        formatter.write("longdoc COMMAND --help says more, with an example.\n")


def _usage(command: Any, ctx: Any, formatter: Any, words: list[str]) -> None:
    """Write the usage line: command, `[OPTIONS]`, `words`, arguments."""
    pieces = [command.options_metavar or "", *words]
    for param in command.get_params(ctx):
        if param.param_type_name == "argument":
            pieces.append(_name(param) if param.required else f"[{_name(param)}]")
    formatter.write_usage(ctx.command_path, " ".join(pieces), prefix=_bold("Usage:") + " ")


def _name(param: Any) -> str:
    """How a parameter is typed: `-k, --k N`, `TASK`; for a flag, the spelling that changes its default."""
    if param.param_type_name == "argument":
        return param.metavar or str(param.name).upper()
    value = "" if param.is_flag else f" {param.metavar or str(param.name).upper()}"
    flags = param.secondary_opts if param.secondary_opts and param.default is True else param.opts
    return ", ".join(sorted(flags, key=len)) + value


def _sections(formatter: Any, sections: dict[str, list[tuple[str, str]]]) -> None:
    """Write the sections with one width for all names, so that the texts line up."""
    width = max((len(name) for rows in sections.values() for name, _ in rows), default=0)
    for title, rows in sections.items():
        if rows:
            with formatter.section(_bold(title)):
                formatter.write_dl([(_coloured(name.ljust(width)), text) for name, text in rows], col_max=width)


def _bold(text: str) -> str:
    return typer.style(text, bold=True) if terminal.coloured() else text


def _coloured(text: str) -> str:
    return typer.style(text, fg="cyan") if terminal.coloured() else text
