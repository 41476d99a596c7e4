"""Keys: they come out of environment variables, and are never written down."""

import os
import re
from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError

NONE_TEXT = "none"  # where there is no key
MINIMUM = 16  # characters of a key that is one: servers of one's own take "EMPTY", "x" …, which are words, too
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAMED_PATTERN = re.compile(
    r"(?:x[-_])?(?:api|access|secret)[-_]?(?:key|token)|(?:proxy[-_])?authorization|password", re.I
)


def check_variable(name: str | None) -> None:
    """Refuse what is no name of a variable: it may be the key itself."""
    if name is not None and not _VARIABLE.fullmatch(name):
        raise UserError("key_variable is the name of an environment variable, not a key; never write a key down")


def key_in(variable: str, library: str, is_needed: bool) -> str:
    """The key in a variable; `NONE_TEXT` where there is none and none is `is_needed`."""
    key = os.environ.get(variable, "").strip()
    if key and not (key.isascii() and key.isprintable()):
        raise UserError(f"the key in {variable} holds characters that no key has: export it again")
    if not key and is_needed:
        raise UserError(f"the reader {library} needs a key: export {variable}=KEY")
    return key or NONE_TEXT


def check_unwritten(variable: str, fields: Mapping[str, Any]) -> None:
    """Refuse a key among what a run writes down: the one in the variable, or one under a name for keys."""
    key = os.environ.get(variable, "").strip()
    for name, value in fields.items():
        if written_text := _written(key, value):
            raise UserError(
                f"{name} holds {written_text}, and it is written into the run's folder: export {variable}=KEY"
            )


def without_key(text: str, key: str) -> str:
    """The text with the key left out, should a server send it back."""
    return text.replace(key, "…") if len(key) >= MINIMUM else text


def _written(key: str, value: Any) -> str:
    """What holds a key in nested values, in words; empty where nothing does."""
    if isinstance(value, str):
        return "the key" if len(key) >= MINIMUM and key in value else ""
    if isinstance(value, Mapping):
        named_text = next(
            (f"a key ({name})" for name in value if isinstance(name, str) and _NAMED_PATTERN.fullmatch(name)), ""
        )
        return named_text or next(filter(None, (_written(key, value) for pair in value.items() for value in pair)), "")
    if isinstance(value, (list, tuple)):
        return next(filter(None, (_written(key, value) for value in value)), "")
    return ""
