"""Keys: they come out of environment variables, and are never written down."""

import os
import re

from longdoc.errors import UserError

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_variable(name: str | None) -> None:
    """Refuse what is no name of a variable: it may be the key itself."""
    if name is not None and not _VARIABLE.fullmatch(name):
        raise UserError("key_variable is the name of an environment variable, not a key; never write a key down")


def key_in(variable: str, library: str, needed: bool) -> str:
    """The key in a variable; "none" where there is none and none is `needed`."""
    key = os.environ.get(variable, "").strip()
    if key and not (key.isascii() and key.isprintable()):
        raise UserError(f"the key in {variable} holds characters that no key has: export it again")
    if not key and needed:
        raise UserError(f"the reader {library} needs a key: export {variable}=KEY")
    return key or "none"
