"""`--follow-links`, which each command has that reads folders or files."""

import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from longdoc.links import follow_links

WITHOUT = {"tasks", "components", "published", "fetch"}  # commands that read nothing of the user's


def _followed(context: typer.Context, typed: bool) -> None:
    """Follow links until the command ends."""
    if typed:
        context.with_resource(follow_links())


FollowLinks = Annotated[
    bool,
    typer.Option(
        "--follow-links",
        callback=_followed,
        expose_value=False,
        help="Read symbolic links that lead out of the folder you name.",
    ),
]


def with_follow_links(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the option, whose value it does not get."""
    if command.__name__ in WITHOUT:
        return command
    signature = inspect.signature(command, eval_str=True)
    own = inspect.Parameter("follow_links", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=FollowLinks)
    parameters = [*signature.parameters.values(), own]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command
