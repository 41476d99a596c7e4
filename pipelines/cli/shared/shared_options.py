"""The options of every command, declared once: `--follow-links`, `--allow-host` and `--json`.

A command's function gets those that are among its parameters. `--json` and `--allow-host` are refused by commands that
do not take them, so that nothing typed is ignored.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from longdoc.allowed_hosts import allow_hosts
from longdoc.errors import UserError
from longdoc.links import follow_links

Json = bool  # parameter of a command that can print JSON
VALUES = f"{__name__}.values"  # key of their values in a context's `meta`
REFUSALS: Mapping[str, str] = {
    "as_json": "--json: this command cannot print JSON",
    "allow_host": "--allow-host: this command does not read settings that could name a server",
}


def _declared(
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Read symbolic links that lead out of the folder you name.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="HOST",
            help="Let the config send texts to a server on this host; may be given again.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Do nothing: typer makes the options from these parameters."""


@functools.cache
def shared_options() -> tuple[Any, ...]:
    """The shared options; their values go to the context, as typer passes only a function's own ones."""
    return options_of(_declared, _keep_value)


def options_of(declared: Callable[..., None], callback: Callable[[Any, Any, Any], None]) -> tuple[Any, ...]:
    """The options that typer makes from a function's parameters; `callback` gets their values."""
    app = typer.Typer(add_completion=False)
    app.command()(declared)
    options = tuple(typer.main.get_command(app).params)
    for option in options:
        option.expose_value, option.callback = False, callback
    return options


def _keep_value(context: Any, option: Any, value: Any) -> None:
    context.meta.setdefault(VALUES, {})[option.name] = value


def names() -> list[str]:
    """The names of the shared options."""
    return list(inspect.signature(_declared).parameters)


def with_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the shared options applied while it runs; it gets those among its parameters."""
    signature = inspect.signature(command, eval_str=True)
    accepted_options = [name for name in names() if name in signature.parameters]
    takes_context = "context" in signature.parameters
    handled_names = {*accepted_options, "context"}
    own_parameters = [value for name, value in signature.parameters.items() if name not in handled_names]
    context_parameter = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)

    @functools.wraps(command)
    def command_function(*arguments: Any, context: typer.Context, **options: Any) -> None:
        values = context.meta[VALUES]
        _refuse(values, accepted_options)
        _put_in_force(context, values)
        if takes_context:
            options["context"] = context
        command(*arguments, **options, **{name: values[name] for name in accepted_options})

    parameters = [*own_parameters, context_parameter]
    command_function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command_function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command_function


def _refuse(values: Mapping[str, Any], accepted_options: list[str]) -> None:
    for name, refusal in REFUSALS.items():
        if values[name] and name not in accepted_options:
            raise UserError(f"{refusal}; leave it out")


def _put_in_force(context: typer.Context, values: Mapping[str, Any]) -> None:
    """Apply --follow-links and --allow-host until the command ends."""
    hosts = values["allow_host"]
    if values["follow_links"]:
        context.with_resource(follow_links())
    if hosts:
        context.with_resource(allow_hosts(*hosts))
