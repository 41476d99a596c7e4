"""`--follow-links`, which each command has that reads folders or files."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from longdoc.links import follow_links

WITHOUT_NAMES = {"tasks", "components", "published", "fetch"}  # commands that read nothing of the user's


def _follow_links(context: typer.Context, is_typed: bool) -> None:
    """Follow links until the command ends."""
    if is_typed:
        context.with_resource(follow_links())


FollowLinks = Annotated[
    bool,
    typer.Option(
        "--follow-links",
        callback=_follow_links,
        help="Read symbolic links that lead out of the folder you name.",
    ),
]


def with_follow_links(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the option, whose value it does not get."""
    if command.__name__ in WITHOUT_NAMES:
        return command
    signature = inspect.signature(command, eval_str=True)
    parameter = inspect.Parameter("follow_links", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=FollowLinks)
    parameters = [*signature.parameters.values(), parameter]

    @functools.wraps(command)
    def called(*arguments: Any, follow_links: bool, **options: Any) -> None:
        command(*arguments, **options)

    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called
