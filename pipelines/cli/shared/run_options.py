"""The options of commands that make runs, from the names, types, defaults and texts of `RunOptions`."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from longdoc import plain_json
from longdoc.allowed_code import file_of, marked_with_file
from longdoc.errors import UserError
from pipelines.cli.shared import lists, set_option
from pipelines.cli.shared.config_option import ConfigOption
from pipelines.cli.shared.options import option
from pipelines.engine.planning.command_line_option import CommandLineOption
from pipelines.engine.planning.options import command_line_options, default_of, value_type

AXIS_MARK = " *"  # after the help of an option that `ablate` takes several values of
NUMBERS = "N[,N…]"
SEVERAL = "[,…]"  # after the metavar of an option that takes several values with commas
SET_PARAMETER = inspect.Parameter(
    "set_options", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=set_option.SetOption
)
HOST_OPTION = "allow_host"  # the shared option of commands that read arguments from files
READ_FILES = frozenset({"ablate", "rerun"})  # commands without --config that read a run's arguments from files
REPEATED = frozenset({"metrics"})  # options that may be given several times


def takes_run_options(
    command: str,
    *,
    axes: bool = False,
    before: Mapping[str, str] | None = None,
    keys: Mapping[str, Any] | None = None,
    is_whole: bool = False,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate the function of `command`: its parameter `arguments` becomes the options of a run.

    The function gets a mapping of the options that were typed, by their Python names. A parameter of its own replaces
    the run's option of the same name. `axes`: an option that can vary takes several values, as a list, and comes first.
    `before` maps a parameter to the one it precedes in `--help`.

    With `keys` the command has `--config`. The file may set the command's options of a run (every argument of a run if
    `is_whole`) and the `keys`: own parameters with their types in the file, none of them required on the command line.
    Commands that read arguments from files have `--allow-host`.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        """The function as a command with these options."""
        return _RunCommand(command, function, axes, keys, is_whole).with_options(before or {})

    return decorate


class _RunCommand:
    """A command's `function`, and the options of a run that it gets as `arguments`; the rest as `takes_run_options`."""

    def __init__(
        self, command: str, function: Callable[..., None], axes: bool, keys: Mapping[str, Any] | None, is_whole: bool
    ) -> None:
        self._command, self._function, self._axes = command, function, axes
        self._own_parameters = dict(inspect.signature(function, eval_str=True).parameters)
        self._set_names = set_option.names_of(command) - self._own_parameters.keys()
        # a command with fields of its own for --set declares the option itself
        self._has_set_option = bool(self._set_names) and "set_" not in self._own_parameters
        self._options = self._offered_options()
        file_options = () if is_whole else [*self._options, *self._set_names]
        self._config = None if keys is None else ConfigOption(command, self._own_parameters, keys, file_options)
        self._reads_files = self._config is not None or command in READ_FILES

    def with_options(self, before: Mapping[str, str]) -> Callable[..., None]:
        """The function that typer calls, with the options as its parameters."""

        @functools.wraps(self._function)
        def command_function(context: typer.Context, **values: Any) -> None:
            """Call the command's function with what was typed."""
            self._call(context, values)

        parameters = self._parameters(before)
        command_function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command_function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return command_function

    def _offered_options(self) -> dict[str, CommandLineOption]:
        """The options beside the command's own parameters and those of --set; with `axes` those that vary first."""
        options = {
            name: option
            for name, option in command_line_options(self._command).items()
            if name not in self._own_parameters and name not in self._set_names
        }
        return dict(sorted(options.items(), key=lambda item: self._axes and item[1].axis_help is None))

    def _parameters(self, before: Mapping[str, str]) -> list[inspect.Parameter]:
        offered = {name: _parameter(name, option, self._axes) for name, option in self._options.items()}
        if self._has_set_option:
            offered["set_options"] = SET_PARAMETER
        parameters = _ordered_parameters(self._own_parameters, offered, before)
        if self._config is not None:
            parameters = self._config.added(parameters)
        if self._reads_files:
            parameters.append(inspect.Parameter(HOST_OPTION, inspect.Parameter.KEYWORD_ONLY, default=None))
        return [*parameters, inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)]

    def _call(self, context: typer.Context, values: dict[str, Any]) -> None:
        if self._reads_files:
            values.pop(HOST_OPTION)  # it is in force
        typed_names = {name for name in values if _is_typed(context, name)}
        options = {name: values.pop(name) for name in self._options}
        typed_options = {name: value for name, value in options.items() if name in typed_names}
        if self._has_set_option:
            axes = {name for name in self._set_names if self._axes and _is_axis(name)}
            typed_options |= set_option.settings(values.pop("set_options") or (), self._command, REPEATED | axes)
        arguments = _arguments(typed_options, self._axes)
        if self._config is not None:
            values, arguments = self._config.merged(values, arguments, typed_names)
        self._function(arguments=arguments, **values)


def _is_axis(name: str) -> bool:
    """Whether an ablation takes several values of an argument."""
    return command_line_options()[name].axis_help is not None


def _is_typed(context: typer.Context, name: str) -> bool:
    """Whether an option was typed, and does not just have its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def typer_option(name: str) -> Any:
    """The typer option of a run's argument."""
    return _typer_option(name, command_line_options()[name])


def _typer_option(name: str, declared: CommandLineOption, axis: bool = False) -> Any:
    flags = declared.flags or (_flag(name),)
    if not axis:
        parser = functools.partial(_one_number, flags[0]) if value_type(name) is int else None
        metavar = _metavar(declared) if name in REPEATED else declared.metavar
        return option(
            declared.help, metavar, declared.group, flags, show_default=value_type(name) is not bool, parser=parser
        )
    metavar = NUMBERS if value_type(name) is int else _metavar(declared)
    return option(f"{declared.axis_help}{AXIS_MARK}", metavar, declared.group, flags)


def _metavar(option: CommandLineOption) -> str | None:
    return f"{option.metavar}{SEVERAL}" if option.kind else option.metavar


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _one_number(flag: str, typed: str | int) -> int:
    """The whole number that was typed, or the default, which is one already. Raises `UserError`."""
    if isinstance(typed, int):
        return typed
    if "," in typed:
        lists.refuse_several(flag, lists.pieces([typed]))
    try:
        return int(typed)
    except ValueError:
        raise UserError(f"{flag} takes a whole number, got {typed!r}") from None


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


def _ordered_parameters(
    own: Mapping[str, inspect.Parameter],
    offered: Mapping[str, inspect.Parameter],
    before: Mapping[str, str],
) -> list[inspect.Parameter]:
    """The parameters of a command in the order of `--help`, all keyword-only."""
    names = [place for name in own for place in (offered if name == "arguments" else [name])]
    for name, successor in before.items():
        names.remove(name)
        names.insert(names.index(successor), name)
    parameters = {**own, **offered}
    return [parameters[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in names]


def _arguments(options: Mapping[str, Any], axes: bool) -> dict[str, Any]:
    """The typed options as arguments of `pipelines.run`."""
    arguments: dict[str, Any] = {}
    for name, value in options.items():
        if axes and command_line_options()[name].axis_help is not None:
            arguments |= _axis(name, value)
        else:
            arguments[name] = _converted(name, value)
    return arguments


def converted(options: Mapping[str, Any]) -> dict[str, Any]:
    """Typed options as arguments of `pipelines.run`, one value each."""
    return _arguments(options, False)


def _converted(name: str, value: Any) -> Any:
    if not (kind := command_line_options()[name].kind):
        return value
    values = _values(kind, value if name in REPEATED else [value])
    if name in REPEATED:
        return values
    lists.refuse_several(_flag(name), values)
    return values[0]


def _axis(name: str, typed: list[str] | None) -> dict[str, Any]:
    """One value as it is, several as a list; empty for none."""
    if not typed:
        return {}
    numbers = value_type(name) is int
    values = lists.whole_numbers(_flag(name), typed) if numbers else _values(command_line_options()[name].kind, typed)
    return {name: values[0] if len(values) == 1 else values}


def _values(kind: str, typed: list[str]) -> list[Any]:
    if kind == "words":
        return lists.pieces(typed)
    return lists.components(kind, typed) if kind else typed


def pair(text: str, flag: str) -> tuple[str, Any]:
    """The key and the value of KEY=VALUE; the value is read as JSON, else it is a string."""
    key, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"{flag} takes KEY=VALUE, got {text!r}")
    try:
        parsed = plain_json.loads(value)
    except plain_json.NotJSON:
        return key, value
    file = file_of(text)
    return key, parsed if file is None else marked_with_file(parsed, file)
