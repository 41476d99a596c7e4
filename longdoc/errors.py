"""Errors that the user can fix, on one line: unknown names, refusals of the system, files that cannot be parsed."""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from longdoc.messages import visible

MAX_SHOWN = 200  # characters of a name in a message
LISTED = 60  # names in a message


class OneLine(Exception):
    """An error whose message is enough: IPython and notebooks print it without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython, which looks for this method, prints in place of a traceback."""
        return [visible(f"{type(self).__name__}: {' '.join(str(self).split())}")]


class UserError(OneLine):
    """An error the user can fix. The message says what is wrong and what to type next."""


class RepliesAwaited(OneLine):
    """Raised by a run that waits: its requests are in `files`, and the message says how to get their replies.

    Nothing has failed. The same call continues when the replies are there.
    """

    def __init__(self, message: str, files: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.files = tuple(files)


def listed(names: Iterable[str], most: int = LISTED) -> str:
    """The first names, shortened if they are long, and the number of further ones."""
    short_names = [name if len(name) <= MAX_SHOWN else f"{name[:MAX_SHOWN]}…" for name in names]
    return ", ".join(short_names[:most]) + (f" and {len(short_names) - most:,} more" if len(short_names) > most else "")


def unknown(kind: str, name: str, known_names: Iterable[str]) -> UserError:
    """The error for an unknown name; it suggests the nearest known names, or lists all if none is near."""
    names = sorted(known_names)
    name = name if len(name) <= MAX_SHOWN else f"{name[:MAX_SHOWN]}…"  # `difflib` is slow on long ones
    near_names = get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near_names)}?" if near_names else f"known: {listed(names) or 'none'}"
    return UserError(f"unknown {kind} {name!r}; {hint}")


LONGEST_PATH = 100  # characters of a path in a message
# what a user can do if the system refuses: a full disk, missing rights, a name that is too long
ROOM, RIGHTS = "make room", "get the right to it, or name another place"
OTHER = "name another place"
CURES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), ROOM),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), RIGHTS),
    **dict.fromkeys((errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR), OTHER),
    errno.EFBIG: "raise the limit on the size of a file (ulimit -f), or name a place on another disk",
    errno.EIO: "the disk or the network failed, see to it, or name another place",
}


def error_with_hint(error: BaseException) -> str | None:
    """A refusal of the system with its cure: `run/run.json: No space left on device: make room`; else None."""
    if not isinstance(error, OSError) or error.errno not in CURES:
        return None
    description = f"{str(error.filename)[:LONGEST_PATH]}: " if error.filename else ""
    return f"{description}{error.strerror}: {CURES[error.errno]}"


LONGEST_PROBLEM = 160  # characters of a parser's own message


@contextmanager
def parsing(file: object, remedy: str = "fetch or copy it again") -> Iterator[None]:
    """Turn all errors of a parser that reads `file` in this block into a `UserError` with the `remedy`.

    A `UserError` is kept, and so is a refusal of the system (`error_with_hint`).
    """
    try:
        yield
    except OneLine:
        raise
    except Exception as error:  # libraries raise all kinds of errors about damaged or hostile files
        if error_with_hint(error):
            raise
        raise UserError(f"{file} cannot be read ({_problem(error)}): it may be damaged; {remedy}") from error


def _problem(error: Exception) -> str:
    """A parser's message on one line, shortened; the type of the error if it has no message."""
    message = " ".join(str(error)[: 2 * LONGEST_PROBLEM].split())
    if isinstance(error, KeyError) or not message:
        message = f"{type(error).__name__} {message}".strip()
    return message if len(message) <= LONGEST_PROBLEM else f"{message[:LONGEST_PROBLEM]}…"
