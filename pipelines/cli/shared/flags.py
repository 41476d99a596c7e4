"""Python arguments in messages turned into options: `out=` into `--out`, `model='none'` into `--model none`.

Errors are raised by Python functions, so their messages name arguments as Python does.
"""

import re
import shlex
from collections.abc import Mapping
from typing import Any

_VALUE = r"""'[^']*'|"[^"]*"|…|[\w/~](?:[\w./:~-]*[\w/])?"""
_OPTION_IN_MESSAGE = r"(?: \(--[\w-]+\))?"  # some messages name the option themselves


def options_of(command: Any) -> dict[str, str]:
    """A command's option for each argument that takes a value: `metrics` → `--metric`."""
    params = [param for param in command.params if param.param_type_name == "option" and not param.is_flag]
    return {
        param.name.removesuffix("_"): next(flag for flag in param.opts if flag.startswith("--")) for param in params
    }


def as_options(message: str, options: Mapping[str, str]) -> str:
    """The message with arguments replaced by their `options`, except lists and fields of components."""
    if not options:
        return message
    names = "|".join(sorted(options, key=len, reverse=True))
    argument = re.compile(rf"(?<![^\s(])({names})=(?![\[{{(])({_VALUE})?{_OPTION_IN_MESSAGE}")

    def option(match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        if value in ("True", "False"):
            return match[0]
        return options[name] if value is None else f"{options[name]} {_quoted(value)}"

    return argument.sub(option, message)


def _quoted(value: str) -> str:
    """The value quoted for a shell; placeholders such as `…` stay."""
    return shlex.quote(value[1:-1]) if value[0] in "'\"" else value
