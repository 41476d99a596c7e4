"""Arguments in messages as the command line takes them: `out=` becomes `--out`, `model='none'` `--model none`.

Messages of errors name arguments as Python does, which is where they are raised.
"""

import re
import shlex
from collections.abc import Mapping
from typing import Any

_VALUE = r"""'[^']*'|"[^"]*"|…|[\w/~](?:[\w./:~-]*[\w/])?"""
_SAID_TEXT = r"(?: \(--[\w-]+\))?"  # some messages name the option themselves


def options_of(command: Any) -> dict[str, str]:
    """The option of a command for each argument that takes a value: `metrics` → `--metric`."""
    valued = [param for param in command.params if param.param_type_name == "option" and not param.is_flag]
    return {
        value.name.removesuffix("_"): next(name for name in value.opts if name.startswith("--")) for value in valued
    }


def as_options(message: str, options: Mapping[str, str]) -> str:
    """A message with the arguments among `options` as options; lists and fields of components stay as they are."""
    if not options:
        return message
    names = "|".join(sorted(options, key=len, reverse=True))
    argument = re.compile(rf"(?<![^\s(])({names})=(?![\[{{(])({_VALUE})?{_SAID_TEXT}")

    def option(match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        if value in ("True", "False"):
            return match[0]
        return options[name] if value is None else f"{options[name]} {_quoted(value)}"

    return argument.sub(option, message)


def _quoted(value: str) -> str:
    """A value as a shell takes it; placeholders such as `…` stay."""
    return shlex.quote(value[1:-1]) if value[0] in "'\"" else value
