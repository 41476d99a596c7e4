"""The arguments of a run as a plan takes them: checked, complete, and as the command line offers them."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, cast

from longdoc.arguments import check_whole, unknown_argument
from longdoc.errors import UserError
from pipelines.engine.planning.command_line_option import CommandLineOption
from pipelines.engine.planning.run_options import PlanOptions, PluginOptions, RunOptions
from pipelines.engine.planning.shard import Shard

GROUPS = ("Data", "Passages", "Reader", None)  # in which the arguments are listed; those of plugins are last
DECLARED: dict[str, CommandLineOption] = {
    name: annotation.__metadata__[0] for name, annotation in RunOptions.__annotations__.items()
}
OPTIONS = {name: DECLARED[name] for group in GROUPS for name in DECLARED if DECLARED[name].group == group} | DECLARED
COUNTS = ("k", "limit", "sample", "max_new_tokens")
TEXTS = ("split", "prompt", "data_revision")
PLUGIN_ARGUMENTS = tuple(PluginOptions.__annotations__)  # for what plugins do when a run is finished
UNPLANNED = frozenset(OPTIONS) - PlanOptions.__annotations__.keys()  # these change no number of a run
ALTERNATIVES = (("k", "budget"), ("limit", "sample"), ("prompt", "prompts_from"))


def complete(arguments: Mapping[str, Any]) -> PlanOptions:
    """All arguments of a plan: the given ones, and defaults for the others. Raises `UserError` for wrong ones."""
    refuse_unknown(arguments, planned_arguments())
    for name, value in arguments.items():
        _check_single(name, value)
    check_values(arguments)
    defaults = {name: option.default for name, option in OPTIONS.items() if name in planned_arguments()}
    return cast(PlanOptions, defaults | dict(arguments))


def refuse_unknown(arguments: Mapping[str, Any], known: Collection[str] = OPTIONS) -> None:
    """Raise `UserError` for an argument that is not `known`."""
    for name in arguments:
        if name not in known:
            raise unknown_argument(name, known)


def with_defaults(arguments: PlanOptions, **values: Any) -> PlanOptions:
    """The arguments, with these values in place of None."""
    current = dict(arguments)
    return cast(PlanOptions, current | {name: value for name, value in values.items() if current[name] is None})


def with_values(arguments: PlanOptions, **values: Any) -> PlanOptions:
    """The arguments, with these values whatever was given."""
    return cast(PlanOptions, {**arguments, **values})


def check_values(arguments: Mapping[str, Any]) -> None:
    """Raise `UserError` for wrong types, counts below 1 or too large, and two arguments that exclude each other."""
    for name, value in arguments.items():
        if isinstance(value, str) and not value.strip() and name != "shard":  # `Shard.of` says what a shard looks like
            raise UserError(f"{name} is empty: leave it out, or give it a value")
    for name in COUNTS:
        value = arguments.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UserError(f"{name} must be a whole number of at least 1, got {value!r}")
        check_whole(name, value)
    seed = arguments.get("seed", 0)
    check_whole("seed", seed)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise UserError(f"seed must be a whole number of at least 0, got {seed!r}")
    if (shard := arguments.get("shard")) is not None:
        Shard.of(shard)
    for name in TEXTS:
        if not isinstance(arguments.get(name), str | None):
            raise UserError(f"{name} must be a text, got {arguments[name]!r}")
    for first, second in ALTERNATIVES:
        if arguments.get(first) is not None and arguments.get(second) is not None:
            raise UserError(f"{first} and {second} cannot be given together: choose one")


def _check_single(name: str, value: Any) -> None:
    """Raise `UserError` for a list where `run` takes one value and `ablate` takes several."""
    is_many = isinstance(value, (list, tuple)) and len(value) > 1
    if is_many and name != "data" and command_line_options()[name].axis_help is not None:  # data: a list of examples
        problem = f"{name} takes one value here, got a list of {len(value)}"
        raise UserError(f"{problem}: ablate({name}=…) compares several (longdoc ablate)")


@cache
def command_line_options(command: str = "run") -> Mapping[str, CommandLineOption]:
    """The options of a command, by argument, in the order of `longdoc run --help`."""
    takes_all = command in ("run", "ablate", "rerun", "versus")
    omitted = {"ablate": PLUGIN_ARGUMENTS, "versus": (*PLUGIN_ARGUMENTS, "shard")}.get(command, ())
    return {
        name: option
        for name, option in OPTIONS.items()
        if (takes_all and name not in omitted) or command in option.commands
    }


@cache
def planned_arguments() -> frozenset[str]:
    """The arguments that decide what is run: all but the task and those of `UNPLANNED`."""
    return frozenset(OPTIONS) - UNPLANNED


def changed(arguments: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with changes. A changed argument removes the one that excludes it: `budget` removes `k`."""
    pairs = (*ALTERNATIVES, *((second, first) for first, second in ALTERNATIVES))
    replaced = {other for name, other in pairs if changes.get(name) is not None}
    return {name: value for name, value in arguments.items() if name not in replaced} | dict(changes)


def default_of(name: str) -> Any:
    """The default of an argument."""
    return OPTIONS[name].default


def value_type(name: str) -> type:
    """The type of a value on the command line: int, bool, or str for everything else."""
    types: dict[Any, type] = {int: int, int | None: int, bool: bool}
    return types.get(RunOptions.__annotations__[name].__origin__, str)
