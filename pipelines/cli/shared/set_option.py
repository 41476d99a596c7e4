"""`--set NAME=VALUE`: arguments of a run for which a command has no option."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

from longdoc.arguments import instead_of, unknown_argument
from longdoc.errors import UserError
from pipelines.cli.shared.options import option
from pipelines.engine.planning.options import command_line_options, value_type

FLAG = "--set"
SetOption = Annotated[
    list[str] | None,
    option("Another argument of a run: order=score. Repeatable.", "NAME=VALUE", flags=(FLAG,)),
]
# Rarely typed arguments: only `run` has options for them.
SELDOM = frozenset(
    {
        "prompts_from", "shard", "query", "order", "data_revision", "go_on", "judge_prompts_from",
    }
)  # fmt: skip
# `rerun` keeps the arguments of the run, so few are typed.
UNCHANGED = frozenset({"data", "split", "limit", "sample", "budget", "report", "judge", "seed"})
BY_COMMAND: Mapping[str, frozenset[str]] = {
    "ablate": SELDOM - {"shard"},
    "versus": SELDOM | {"sample", "seed", "report"},
    "rerun": SELDOM | UNCHANGED,
    "train": SELDOM,
    "prompt": (SELDOM - {"prompts_from"}) | {"seed"},
}
BOOLEANS = {"true": True, "false": False}


def names_of(command: str) -> frozenset[str]:
    """The arguments that a command takes by `--set`."""
    return BY_COMMAND.get(command, frozenset()) & command_line_options(command).keys()


def settings(pairs: Collection[str], command: str, repeated: Collection[str]) -> dict[str, Any]:
    """The arguments typed as `--set NAME=VALUE`, in the types that typer gives; those in `repeated` as lists.

    Raises `UserError` for an argument that has an option of its own, or that does not exist.
    """
    typed: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.strip().removeprefix("--").replace("-", "_")
        if not equals:
            raise UserError(f"{FLAG} takes NAME=VALUE, got {pair!r}")
        if name not in names_of(command):
            if own := command_line_options(command).get(name):
                flag = own.flags[0].partition("/")[0] if own.flags else f"--{name.replace('_', '-')}"
                raise UserError(f"{name} is an option of this command: type {flag} {text}")
            raise unknown_argument(name, names_of(command))
        if name in typed and name not in repeated:
            raise UserError(f"{FLAG} {name} is given twice; give it once")
        typed[name] = [*typed.get(name, ()), text] if name in repeated else _value(name, text)
    return typed


def _value(name: str, text: str) -> Any:
    """The value in the argument's type. Raises `UserError`."""
    if value_type(name) is bool:
        if text.lower() not in BOOLEANS:
            raise UserError(f"{FLAG} {name} takes true or false, got {text!r}")
        return BOOLEANS[text.lower()]
    if value_type(name) is int:
        try:
            return int(text)
        except ValueError:
            raise UserError(f"{FLAG} {name} takes a whole number, got {text!r}") from None
    return text


def hint(words: Sequence[str], command: str, flag: str) -> str:
    """What to type in place of an unknown flag: its `--set` form or the option that replaced it; else empty.

    `words` are the command line, from which the flag's value is kept.
    """
    options = command_line_options(command)
    value = next((word for before, word in pairwise(words) if before == flag and not word.startswith("-")), "VALUE")
    by_flag = {spelling: name for name in names_of(command) for spelling in _flags(name, options[name].flags)}
    name = by_flag.get(flag)
    if name is None:
        return instead_of(flag.removeprefix("--"), options, value)
    return f'now "{FLAG} {name}={value}"'


def _flags(name: str, flags: tuple[str, ...]) -> list[str]:
    return [part for flag in flags or (f"--{name.replace('_', '-')}",) for part in flag.split("/")]
