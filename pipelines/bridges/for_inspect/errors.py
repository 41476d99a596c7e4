"""Errors that users can fix, shown by inspect_ai's command as one line."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from inspect_ai._util.error import PrerequisiteError
from rich.markup import escape

from longdoc.errors import UserError

Given = ParamSpec("Given")
Made = TypeVar("Made")


class SetupError(UserError, PrerequisiteError):
    """A `UserError` that inspect_ai prints without a traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(escape(message))  # which it prints with markup: [bm25,dense] would be a style


def in_one_line(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """The function, whose `UserError` is a `SetupError`."""

    @functools.wraps(function)
    def made(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        try:
            return function(*args, **kwargs)
        except SetupError:
            raise
        except UserError as error:
            raise SetupError(str(error)) from error

    return made
