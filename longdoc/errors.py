"""The one exception for errors the user can fix, and the helper that suggests the nearest known names."""

from collections.abc import Iterable
from difflib import get_close_matches

SHOWN = 200  # characters of a name in a message
LISTED = 60  # names in a message


class UserError(Exception):
    """An error the user can fix. The message says what is wrong and what to type next."""


class RepliesAwaited(Exception):
    """A run that waits: its requests are in `files`, and the message says how to get their replies.

    Nothing has failed. The same call goes on when the replies are there.
    """

    def __init__(self, message: str, files: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.files = tuple(files)


def unknown(kind: str, name: str, known: Iterable[str]) -> UserError:
    """The error for an unknown name: it suggests the nearest ones, or lists all of them when none is near."""
    names = sorted(known)
    listed = ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
    name = name if len(name) <= SHOWN else f"{name[:SHOWN]}…"  # `difflib` is slow on long ones
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {listed or 'none'}"
    return UserError(f"unknown {kind} {name!r}; {hint}")
