"""The options of every command, declared once: what files may name, which links are followed, JSON.

They may stand anywhere behind the command. A command's function takes those of them that are among its parameters;
the others are refused, so that nothing typed is ignored.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from longdoc.allowed_code import allow_code
from longdoc.allowed_hosts import allow_hosts
from longdoc.errors import UserError
from longdoc.links import follow_links

Json = bool  # of a function that prints JSON where it is true
AllowCode = list[str] | None  # of a function that reads files which may name code
VALUES = f"{__name__}.values"  # where a context has them
REFUSALS: Mapping[str, str] = {
    "as_json": "--json: this command prints no JSON",
    "allow_code": "--allow-code: this command reads no file that could name code",
    "allow_host": "--allow-host: this command reads no settings that could name a server",
}


def _declared(
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Read symbolic links that lead out of the folder you name.")
    ] = False,
    allow_code: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-code",
            metavar="MODULE",
            help="Let files (config, reader.json, run.json) name code of this module; may be given again.",
        ),
    ] = None,
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
    """Nothing: typer makes the options of these parameters."""


@functools.cache
def shared_options() -> tuple[Any, ...]:
    """The options, as a command takes them; their values go to the context, since typer gives a function its own."""
    app = typer.Typer(add_completion=False)
    app.command()(_declared)
    options = tuple(typer.main.get_command(app).params)
    for option in options:
        option.expose_value, option.callback = False, _keep_value
    return options


def _keep_value(context: Any, option: Any, value: Any) -> None:
    context.meta.setdefault(VALUES, {})[option.name] = value


def names() -> list[str]:
    """The names of the options' parameters."""
    return list(inspect.signature(_declared).parameters)


def with_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer calls it: the values of the shared options are in force until it ends."""
    signature = inspect.signature(command, eval_str=True)
    taken_names = [name for name in names() if name in signature.parameters]
    takes_context = "context" in signature.parameters
    not_typed = {*taken_names, "context"}
    own_parameters = [value for name, value in signature.parameters.items() if name not in not_typed]
    context_parameter = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)

    @functools.wraps(command)
    def called(*arguments: Any, context: typer.Context, **options: Any) -> None:
        values = context.meta[VALUES]
        _refuse(values, taken_names)
        _put_in_force(context, values)
        if takes_context:
            options["context"] = context
        command(*arguments, **options, **{name: values[name] for name in taken_names})

    parameters = [*own_parameters, context_parameter]
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _refuse(values: Mapping[str, Any], taken_names: list[str]) -> None:
    for name, refusal in REFUSALS.items():
        if values[name] and name not in taken_names:
            raise UserError(f"{refusal}; leave it out")


def _put_in_force(context: typer.Context, values: Mapping[str, Any]) -> None:
    """Follow links, and allow modules and hosts, until the command ends."""
    hosts, modules = values["allow_host"], values["allow_code"]
    if values["follow_links"]:
        context.with_resource(follow_links())
    if modules:
        context.with_resource(allow_code(*modules))
    if hosts:
        context.with_resource(allow_hosts(*hosts))
