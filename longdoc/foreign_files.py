"""Files that others made: whatever a parser raises about one is an error of that file, in one line."""

from collections.abc import Iterator
from contextlib import contextmanager

from longdoc.errors import OneLine, UserError
from longdoc.system_errors import error_with_hint

LONGEST = 160  # characters of a parser's own message


@contextmanager
def parsing(file: object, remedy: str = "fetch or copy it again") -> Iterator[None]:
    """Within it a parser reads `file`; what it raises, of whatever kind, becomes a `UserError` with the `remedy`.

    A `UserError` stays, and so does what the system refuses (`longdoc.system_errors`).
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
    """A parser's message, in one line and not too long; the kind of the error where it has none."""
    message = " ".join(str(error)[: 2 * LONGEST].split())
    if isinstance(error, KeyError) or not message:
        message = f"{type(error).__name__} {message}".strip()
    return message if len(message) <= LONGEST else f"{message[:LONGEST]}…"
