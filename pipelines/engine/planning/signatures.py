"""Functions that take arguments of a run by `**arguments: Unpack[…]`, as `help` and editors show them."""

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any, ParamSpec, TypeVar

from longdoc.arguments import unknown_argument
from pipelines.engine.planning.options import default_of
from pipelines.engine.planning.run_arguments import types_of

P = ParamSpec("P")
R = TypeVar("R")


def takes_arguments(
    declared: type, names: Collection[str] | None = None, *, accepts_unknown: bool = False, **defaults: Any
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The function with the names, types and defaults of a dictionary type in its signature.

    `names` are those that it takes, by default all; `defaults` are its own. A name that it does not have is a
    `UserError` with the nearest one, unless it takes them, too.
    """
    types = {name: kind for name, kind in types_of(declared).items() if names is None or name in names}

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        parameters = list(signature.parameters.values())
        last = parameters.pop()  # that of `**arguments`
        added = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name, default_of(name)), annotation=kind
            )
            for name, kind in types.items()
        ]
        known_names = [parameter.name for parameter in (*parameters, *added)]

        @functools.wraps(function)
        def checked(*values: P.args, **named_values: P.kwargs) -> R:
            for name in () if accepts_unknown else named_values:
                if name not in known_names:
                    raise unknown_argument(name, known_names)
            return function(*values, **named_values)

        signed = [*parameters, *added, *([last] if accepts_unknown else [])]
        checked.__signature__ = signature.replace(parameters=signed)  # type: ignore[attr-defined]
        return checked

    return decorate
