"""The command-line option of an argument of a run."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CommandLineOption:
    """The option of an argument: under a heading (`group`) of `--help`, its value called `metavar`.

    `commands` take it beside `run`, `rerun` and `ablate`. `axis_help` is its help in `ablate`, None where `ablate`
    does not take several values of it. `flags` are its names, `--NAME` where empty. `kind` is the plural of the kind
    of component that a value names, "words" for values that never hold a comma, "" for others. `default` is the
    argument's default, in Python too.
    """

    group: str | None
    metavar: str | None
    help: str
    commands: frozenset[str]
    axis_help: str | None
    flags: tuple[str, ...]
    kind: str
    default: Any


def option(
    group: str | None,
    metavar: str | None,
    help: str,
    commands: str = "",
    *,
    axis: bool = True,
    axis_help: str | None = None,
    flags: tuple[str, ...] = (),
    kind: str = "",
    default: Any = None,
) -> CommandLineOption:
    """The option of an argument. `ablate` varies it if `axis`, with `help` as its help unless `axis_help` is given."""
    text = (axis_help or help.removesuffix(".")) if axis else None
    return CommandLineOption(group, metavar, help, frozenset(commands.split()), text, flags, kind, default)
