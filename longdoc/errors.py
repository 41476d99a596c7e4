"""The one exception for errors the user can fix, and the helper that suggests the nearest known names."""

from collections.abc import Iterable
from difflib import get_close_matches

from longdoc.visible import visible

MAX_SHOWN = 200  # characters of a name in a message
LISTED = 60  # names in a message


class OneLine(Exception):
    """An error whose message is all that its reader needs: IPython and notebooks print it without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in place of a traceback, where an exception has this method; Python never calls it."""
        return [visible(f"{type(self).__name__}: {' '.join(str(self).split())}")]


class UserError(OneLine):
    """An error the user can fix. The message says what is wrong and what to type next."""


class RepliesAwaited(OneLine):
    """A run that waits: its requests are in `files`, and the message says how to get their replies.

    Nothing has failed. The same call goes on when the replies are there.
    """

    def __init__(self, message: str, files: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.files = tuple(files)


def listed(names: Iterable[str], most: int = LISTED) -> str:
    """The first names of a file or a list, none of them long, and how many more there are."""
    shortened = [name if len(name) <= MAX_SHOWN else f"{name[:MAX_SHOWN]}…" for name in names]
    return ", ".join(shortened[:most]) + (f" and {len(shortened) - most:,} more" if len(shortened) > most else "")


def unknown(kind: str, name: str, known_names: Iterable[str]) -> UserError:
    """The error for an unknown name: it suggests the nearest ones, or lists all of them when none is near."""
    names = sorted(known_names)
    name = name if len(name) <= MAX_SHOWN else f"{name[:MAX_SHOWN]}…"  # `difflib` is slow on long ones
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {listed(names) or 'none'}"
    return UserError(f"unknown {kind} {name!r}; {hint}")
