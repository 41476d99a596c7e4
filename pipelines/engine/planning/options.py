"""The arguments of a run as a plan takes them: checked, complete, and as the command line offers them."""

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError
from longdoc.whole_numbers import check_whole
from pipelines.engine.planning.run_arguments import (
    CommandLineOption,
    JudgeArguments,
    OutputArguments,
    PlanArguments,
    RunChanges,
)
from pipelines.engine.planning.shard import Shard

OPTIONS: Mapping[str, CommandLineOption] = {
    name: annotation.__metadata__[0] for name, annotation in RunChanges.__annotations__.items()
}
COUNTS = ("k", "budget", "limit", "sample", "max_new_tokens", "max_input_tokens")
TEXTS = ("split", "prompt", "device", "dtype")
JUDGE = tuple(JudgeArguments.__annotations__)  # asked when a run is finished
UNPLANNED = frozenset({*OutputArguments.__annotations__, *JUDGE})  # how a run is made, not what it is
ALTERNATIVES = (
    ("k", "budget"), ("k", "select"), ("budget", "select"), ("limit", "sample"), ("prompt", "prompts_from"),
)  # fmt: skip


def complete(arguments: Mapping[str, Any]) -> PlanArguments:
    """All arguments of a plan, those that are not given at their defaults. Raises `UserError` for wrong ones."""
    for name, value in arguments.items():
        if name not in planned_arguments():
            raise unknown_argument(name, planned_arguments())
        _check_single(name, value)
    check_values(arguments)
    defaults = {name: option.default for name, option in OPTIONS.items() if name in planned_arguments()}
    return cast(PlanArguments, defaults | dict(arguments))


def filled(arguments: PlanArguments, **values: Any) -> PlanArguments:
    """The same with these values where nothing was given."""
    current = dict(arguments)
    return cast(PlanArguments, current | {name: value for name, value in values.items() if current[name] is None})


def changed_plan(arguments: PlanArguments, **values: Any) -> PlanArguments:
    """The same with these values."""
    return cast(PlanArguments, {**arguments, **values})


def check_values(arguments: Mapping[str, Any]) -> None:
    """Refuse values of other types, counts below one or beyond any use, and a pair that contradicts itself.

    Raises `UserError`.
    """
    for name, value in arguments.items():
        if isinstance(value, str) and not value.strip() and name != "shard":  # which says what it takes
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
    if not isinstance(arguments.get("revision"), str | Mapping | None):
        raise UserError(f"revision must be a text, or a mapping with model and data, got {arguments['revision']!r}")
    if not isinstance(arguments.get("deterministic", False), bool):
        raise UserError(f"deterministic must be True or False, got {arguments['deterministic']!r}")
    for first, second in ALTERNATIVES:
        if arguments.get(first) is not None and arguments.get(second) is not None:
            raise UserError(f"{first} and {second} cannot be given together: choose one")


def revisions(revision: Any) -> tuple[str | None, str | None]:
    """The model's and the data's revision: a string is the model's, a mapping says which is whose."""
    if revision is None or isinstance(revision, str):
        return revision, None
    if set(revision) - {"model", "data"}:
        raise UserError(f"revision takes a string (the model's) or a mapping with model and data, got {revision!r}")
    return revision.get("model"), revision.get("data")


def _check_single(name: str, value: Any) -> None:
    """Refuse several values where one is taken; `data` may be a list of examples."""
    is_many = isinstance(value, (list, tuple)) and len(value) > 1
    if is_many and name != "data" and command_line_options()[name].axis_help is not None:
        problem = f"{name} takes one value here, got a list of {len(value)}"
        raise UserError(f"{problem}: ablate({name}=…) compares several (longdoc ablate)")


@cache
def command_line_options(command: str = "run") -> Mapping[str, CommandLineOption]:
    """The options that a command takes by the name of the argument, in the order of `pipelines.run`."""
    is_whole = command in ("run", "ablate", "rerun", "versus")
    left_out_names = {"ablate": JUDGE, "versus": (*JUDGE, "shard")}.get(command, ())
    return {
        n: option
        for n, option in OPTIONS.items()
        if (is_whole and n not in left_out_names) or command in option.commands
    }


@cache
def planned_arguments() -> frozenset[str]:
    """The arguments that decide what is run: all but the task and those of `UNPLANNED`."""
    return frozenset(OPTIONS) - UNPLANNED


def changed(arguments: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with changes, which also replace those that cannot be given together with them: `k` by `select`."""
    pairs = (*ALTERNATIVES, *((second, first) for first, second in ALTERNATIVES))
    replaced = {other for name, other in pairs if changes.get(name) is not None}
    if "select" in replaced:
        replaced.add("fill")
    return {name: value for name, value in arguments.items() if name not in replaced} | dict(changes)


def default_of(name: str) -> Any:
    """An argument's default."""
    return OPTIONS[name].default


def value_type(name: str) -> type:
    """The type of one value as it is typed on the command line: int, bool, or str for everything else."""
    types: dict[Any, type] = {int: int, int | None: int, bool: bool}
    return types.get(RunChanges.__annotations__[name].__origin__, str)
