"""`--set NAME=VALUE`: arguments of a run that a command has no option of their own for."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError
from pipelines.cli.shared.options import option
from pipelines.engine.planning.options import command_line_options, value_type

FLAG = "--set"
SetOption = Annotated[
    list[str] | None,
    option("A further argument of a run, as in order=score; may be given again.", "NAME=VALUE", flags=(FLAG,)),
]
# Seldom typed: these have options of their own in `run` alone.
SELDOM = frozenset(
    {
        "prompts_from", "shard", "fill", "query", "order", "dtype", "deterministic", "revision", "go_on",
        "model_options", "prices_from", "judge_prompts_from",
    }
)  # fmt: skip
# A run is made again with its own arguments, so that few are typed.
UNCHANGED = frozenset({"data", "split", "limit", "sample", "budget", "report", "judge", "seed"})
DEVICE = frozenset({"device", "max_input_tokens"})
BY_COMMAND: Mapping[str, frozenset[str]] = {
    "ablate": (SELDOM | DEVICE) - {"shard"},
    "versus": SELDOM | DEVICE | {"sample", "seed", "report"},
    "rerun": SELDOM | DEVICE | UNCHANGED,
    "train": SELDOM | {"max_input_tokens"},
    "prompt": (SELDOM - {"prompts_from"}) | {"seed"},
}
BOOLEANS = {"true": True, "false": False}


def names_of(command: str) -> frozenset[str]:
    """The arguments that a command takes by `--set`."""
    return BY_COMMAND.get(command, frozenset()) & command_line_options(command).keys()


def settings(pairs: Collection[str], command: str, repeated: Collection[str]) -> dict[str, Any]:
    """The arguments that were typed by `--set`, as typer would hand them over; of those that are `repeated` a list.

    Raises `UserError` for an argument that the command has an option for, or that no run has.
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
                raise UserError(f"{name} has an option of its own: {flag} {text}")
            raise unknown_argument(name, names_of(command))
        if name in typed and name not in repeated:
            raise UserError(f"{FLAG} {name} is given twice: give it once")
        typed[name] = [*typed.get(name, ()), text] if name in repeated else _value(name, text)
    return typed


def _value(name: str, text: str) -> Any:
    """The value as an option of its own would read it."""
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
    """What to type in place of an option that is an argument of `--set` here; empty where it is none.

    `words` are the command line, whose value behind the option is kept.
    """
    options = command_line_options(command)
    by_flag = {part: name for name in names_of(command) for part in _flags(name, options[name].flags)}
    name = by_flag.get(flag)
    if name is None:
        return ""
    value = next((word for before, word in pairwise(words) if before == flag and not word.startswith("-")), "VALUE")
    return f'now "{FLAG} {name}={value}"'


def _flags(name: str, flags: tuple[str, ...]) -> list[str]:
    return [part for flag in flags or (f"--{name.replace('_', '-')}",) for part in flag.split("/")]
