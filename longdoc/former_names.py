"""Former names of public functions, which work until 1.0 (docs/compatibility.md) and say the present one."""

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def renamed(function: Callable[P, R], former: str) -> Callable[P, R]:
    """The function under its former name; each call warns (`DeprecationWarning`) and does the same.

    `__deprecated__` is the message, as PEP 702 has it.
    """
    name: str = function.__name__
    message = f"longdoc.{former} is longdoc.{name} now; the former name works until 1.0"

    @functools.wraps(function)
    def called(*arguments: P.args, **named_value: P.kwargs) -> R:
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return function(*arguments, **named_value)

    called.__name__ = called.__qualname__ = former
    called.__doc__ = f"The former name of `{name}`."
    called.__deprecated__ = message  # type: ignore[attr-defined]
    return called
