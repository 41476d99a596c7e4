"""The options of the commands that make runs: `RunArguments` has their names, types, defaults and texts."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.file_values import file_of, marked_with_file
from pipelines.cli.shared import lists, set_option
from pipelines.cli.shared.config_option import ConfigOption
from pipelines.cli.shared.options import option
from pipelines.engine.planning.options import command_line_options, default_of, value_type
from pipelines.engine.planning.run_arguments import CommandLineOption

MANY_TEXT = " *"  # after the text of an axis; the docstring of `ablate` explains it
LIST = "N[,N…]"
SEVERAL_TEXT = "[,…]"  # after the name of a value that may be several with commas
SET_PARAMETER = inspect.Parameter(
    "set_options", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=set_option.SetOption
)
HOST_OPTION = "allow_host"  # a shared option, of commands that read settings
READ_FILES = frozenset({"ablate", "rerun"})  # commands without --config that read a run's arguments out of files
REPEATED = frozenset({"metrics", "revision", "model_options"})  # options that may be given several times


def takes_run_options(
    command: str,
    *,
    axes: bool = False,
    before: Mapping[str, str] | None = None,
    keys: Mapping[str, Any] | None = None,
    is_whole: bool = False,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command whose parameter `arguments` stands for the options of a run that `command` takes.

    The function gets a mapping of those that were given, under Python's names. A parameter of its own takes the place
    of a run's option of the same name. `axes`: options that can vary may be given several times, and then are lists;
    they come first. `before` places a parameter before another one in `--help`.

    With `keys` the command takes a file of arguments, `--config`: its keys are the run's options that the command has
    (all arguments of a run where `is_whole`), and the `keys`, which are parameters of its own with their types in a
    file. Of these none is required on the command line. Commands that read arguments out of files have `--allow-host`.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        own_parameters = dict(inspect.signature(function, eval_str=True).parameters)
        set_names = set_option.names_of(command) - own_parameters.keys()
        has_option = bool(set_names) and "set_" not in own_parameters  # which shares the option with its own fields
        offered_options = {
            name: option
            for name, option in command_line_options(command).items()
            if name not in own_parameters and name not in set_names
        }
        if axes:
            offered_options = dict(sorted(offered_options.items(), key=lambda item: item[1].axis_help is None))
        config = (
            None
            if keys is None
            else ConfigOption(command, own_parameters, keys, () if is_whole else [*offered_options, *set_names])
        )
        parameters = _placed_rows(
            own_parameters,
            {name: _parameter(name, option, axes) for name, option in offered_options.items()}
            | ({"set_options": SET_PARAMETER} if has_option else {}),
            before or {},
        )
        if config is not None:
            parameters = config.added(parameters)
        names_servers = config is not None or command in READ_FILES
        if names_servers:
            parameters.append(inspect.Parameter(HOST_OPTION, inspect.Parameter.KEYWORD_ONLY, default=None))
        parameters.append(inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context))

        @functools.wraps(function)
        def called(context: typer.Context, **values: Any) -> None:
            if names_servers:
                values.pop(HOST_OPTION)  # it is in force
            typed_names = {name for name in values if _is_typed(context, name)}
            options = {name: values.pop(name) for name in offered_options}
            typed_options = {name: value for name, value in options.items() if name in typed_names}
            if has_option:
                repeated = REPEATED | ({name for name in set_names if _is_axis(name)} if axes else set())
                typed_options |= set_option.settings(values.pop("set_options") or (), command, repeated)
            arguments = _arguments(typed_options, axes)
            if config is not None:
                values, arguments = config.merged(values, arguments, typed_names)
            function(arguments=arguments, **values)

        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return called

    return decorate


def _is_axis(name: str) -> bool:
    """Whether an ablation takes several values of an argument."""
    return command_line_options()[name].axis_help is not None


def _is_typed(context: typer.Context, name: str) -> bool:
    """Whether an option's value stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def typer_option(name: str) -> Any:
    """The option of a run's argument as typer takes it."""
    return _typer_option(name, command_line_options()[name])


def _typer_option(name: str, one_option: CommandLineOption, axis: bool = False) -> Any:
    flags = one_option.flags or (_flag(name),)
    if not axis:
        parser = functools.partial(_one_number, flags[0]) if value_type(name) is int else None
        metavar = _metavar(one_option) if name in REPEATED else one_option.metavar
        return option(
            one_option.help, metavar, one_option.group, flags, show_default=value_type(name) is not bool, parser=parser
        )
    metavar = LIST if value_type(name) is int else _metavar(one_option)
    return option(f"{one_option.axis_help}{MANY_TEXT}", metavar, one_option.group, flags)


def _metavar(option: CommandLineOption) -> str | None:
    return f"{option.metavar}{SEVERAL_TEXT}" if option.kind else option.metavar


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _one_number(flag: str, typed_value: str | int) -> int:
    """The number that an option takes; typer hands the default over as it is. Raises `UserError`."""
    if isinstance(typed_value, int):
        return typed_value
    if "," in typed_value:
        lists.refuse_several(flag, lists.pieces([typed_value]))
    try:
        return int(typed_value)
    except ValueError:
        raise UserError(f"{flag} takes a whole number, got {typed_value!r}") from None


def _parameter(name: str, option: CommandLineOption, axes: bool) -> inspect.Parameter:
    default = default_of(name)
    kind: Any = value_type(name)
    axis = axes and option.axis_help is not None
    if axis or name in REPEATED:
        kind, default = list[str] | None, None
    elif default is None:
        kind = kind | None
    annotation = Annotated[kind, _typer_option(name, option, axis)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _placed_rows(
    own_names: Mapping[str, inspect.Parameter],
    offered_values: Mapping[str, inspect.Parameter],
    before: Mapping[str, str],
) -> list[inspect.Parameter]:
    """The parameters of a command in the order of `--help`, all by keyword."""
    names = [text for name in own_names for text in (offered_values if name == "arguments" else [name])]
    for name, next_one in before.items():
        names.remove(name)
        names.insert(names.index(next_one), name)
    parameters = {**own_names, **offered_values}
    return [parameters[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in names]


def _arguments(options: Mapping[str, Any], axes: bool) -> dict[str, Any]:
    """The options that were typed, as `pipelines.run` takes them."""
    arguments: dict[str, Any] = {}
    for name, value in options.items():
        if axes and command_line_options()[name].axis_help is not None:
            arguments |= _axis(name, value)
        else:
            arguments[name] = _converted(name, value)
    return arguments


def converted(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that were typed, none of them an axis, as `pipelines.run` takes them."""
    return _arguments(options, False)


def _converted(name: str, value: Any) -> Any:
    if name == "revision":
        return _revision(value)
    if name == "model_options":
        return dict(pair(value) for value in value)
    if not (kind := command_line_options()[name].kind):
        return value
    values = _values(kind, value if name in REPEATED else [value])
    if name in REPEATED:
        return values
    lists.refuse_several(_flag(name), values)
    return values[0]


def _axis(name: str, typed_names: list[str] | None) -> dict[str, Any]:
    """One value stays itself, several are an axis."""
    if not typed_names:
        return {}
    numbers = value_type(name) is int
    values = (
        lists.whole_numbers(_flag(name), typed_names)
        if numbers
        else _values(command_line_options()[name].kind, typed_names)
    )
    return {name: values[0] if len(values) == 1 else values}


def _values(kind: str, typed_names: list[str]) -> list[Any]:
    if kind == "words":
        return lists.pieces(typed_names)
    return lists.components(kind, typed_names) if kind else typed_names


def _revision(values: list[str]) -> str | dict[str, str]:
    named_values = dict(value.split("=", 1) for value in values if "=" in value)
    plain_names = [value for value in values if "=" not in value]
    if plain_names and (named_values or len(plain_names) > 1):
        raise UserError("give --revision once, or as --revision model=REV --revision data=REV")
    return plain_names[0] if plain_names else named_values


def pair(text: str, flag: str = "--model-option") -> tuple[str, Any]:
    """KEY=VALUE, the value being JSON or else a string."""
    key, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"{flag} takes KEY=VALUE, got {text!r}")
    try:
        found_value = plain_json.loads(value)
    except plain_json.NotJSON:
        return str(key), value
    file = file_of(text)
    return str(key), found_value if file is None else marked_with_file(found_value, file)
