"""A Python function as a reader: `model=lambda prompt: …`, the text of a prompt in, the text of an answer out."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from types import CodeType, FunctionType, MethodType
from typing import Any

from longdoc.errors import UserError
from longdoc.registry import name_of
from models.prompts import Prompt
from models.requests import Generate, Reply, Request
from models.word_reader import GeneratingWordReader

TAKES = "def answer(prompt: str) -> str"


class _Failed(Exception):
    """The function did not answer this prompt."""


@dataclass
class FunctionReader(GeneratingWordReader):
    """Answers Generate with what a function returns for the prompt's text, called once for each of n outputs.

    Tokens are words: prompts are truncated to `max_input_tokens`, answers end before a stop string and at the
    request's length. An exception of the function, or a return value that is not a text, is a failed reply: the example
    is named, the others go on, and the same run started again asks it again. Raises `UserError` for a function that is
    async, or cannot be called with one text.
    """

    function: Callable[..., Any]
    max_input_tokens: int | None = None
    _code: str = field(init=False, repr=False, compare=False)

    is_chat = True  # most call a chat model: prompts say what to do
    is_random = False
    batch_requests = 1  # so that each reply is logged before the next is asked

    def __post_init__(self) -> None:
        """Refuse what cannot be called with a prompt, before any data are read."""
        super().__post_init__()
        name = getattr(self.function, "__name__", type(self.function).__name__)
        if inspect.iscoroutinefunction(self.function):
            raise UserError(f"{name} is async: give a function that waits, lambda prompt: asyncio.run({name}(prompt))")
        try:
            inspect.signature(self.function).bind("")
        except TypeError:
            raise UserError(f"{name} as a model must take one argument, the text of a prompt: {TAKES}") from None
        except ValueError:
            pass  # a function written in C may have no signature
        code = "\n".join(_code(self.function))  # now: a call may change what is bound to it
        self._code = sha256(code.encode("utf-8", "replace")).hexdigest()

    def resolve(self) -> Mapping[str, Any]:
        """A digest of the function's code and of the values bound to it, so that another one makes another run.

        It is that of the compiled code, so another version of Python has another. In it are constants, default values,
        and what a closure, a `partial` or a method's object holds, if these are texts, numbers or tuples; not what the
        function calls or reads elsewhere.
        """
        return {"code": self._code}

    def outputs(self, prompt: Prompt, request: Generate) -> Sequence[str]:
        """The function's return values for the prompt, called n times."""
        return [self._answer(prompt.text) for _ in range(max(request.n, 1))]

    def reply_to(self, request: Request) -> Reply:
        """The reply to one request, failed where the function fails."""
        try:
            return super().reply_to(request)
        except _Failed as error:
            return Reply.failed(str(error))

    def _answer(self, prompt: str) -> str:
        name = name_of(self.function)
        try:
            answer = self.function(prompt)
        except UserError:  # of a reader of ours that it calls: the next prompt would not go better
            raise
        except Exception as error:
            raise _Failed(f"{name} raised {_error_line(error)}") from error
        if not isinstance(answer, str):
            raise _Failed(f"{name} returned {type(answer).__name__}, not a text: return the answer as a str")
        return answer


def _error_line(error: Exception) -> str:
    """An exception on one line, with the file and line where it was raised."""
    trace = error.__traceback__.tb_next if error.__traceback__ else None  # the first is our own call
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" (line {trace.tb_lineno} of {trace.tb_frame.f_code.co_filename})"
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


def _code(function: Any) -> Iterator[str]:
    """Texts that identify a function: its code, defaults and bound values."""
    if isinstance(function, partial):
        yield from map(_value, (function.args, *sorted(function.keywords.items())))
        yield from _code(function.func)
    elif isinstance(function, MethodType):
        yield from _attributes(function.__self__)
        yield from _code(function.__func__)
    elif isinstance(function, FunctionType):
        yield from _compiled(function.__code__)
        yield from map(_value, (function.__defaults__, *sorted((function.__kwdefaults__ or {}).items())))
        yield from map(_cell, function.__closure__ or ())
    elif not inspect.isroutine(function):  # an object that can be called
        yield from _attributes(function)
        yield from _code(type(function).__call__)
    yield name_of(function)


def _attributes(bound: Any) -> Iterator[str]:
    for name, value in sorted(getattr(bound, "__dict__", {}).items()):
        yield f"{name}={_value(value)}"


def _compiled(code: CodeType) -> Iterator[str]:
    """The parts of compiled code that do not depend on its place in a file."""
    yield from (code.co_code.hex(), repr(code.co_names), repr(code.co_varnames))
    for constant in code.co_consts:
        yield from _compiled(constant) if isinstance(constant, CodeType) else (_value(constant),)


def _cell(cell: Any) -> str:
    """The value of a variable of an enclosing function; nothing for one that is not set yet."""
    try:
        return _value(cell.cell_contents)
    except ValueError:
        return ""


def _value(value: Any) -> str:
    """An immutable value as text, else the name of its class: a list may change while the function runs."""
    if isinstance(value, (str, bytes, int, float, complex)) or value is None:
        return repr(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_value, value))})"
    if isinstance(value, frozenset):
        return f"({','.join(sorted(map(_value, value)))})"
    return name_of(value)
