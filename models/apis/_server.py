"""A server's address, and the words of its errors."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from longdoc.errors import UserError

SHOWN = 300  # characters of a server's message that go into an error


def check_url(url: str) -> None:
    """Refuse an address that is none, or that holds a password: it is written into the run's folder."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  (raises where it is no number)
    except ValueError:
        raise UserError(f"base_url is not an address: {url!r}") from None
    if parts.username or parts.password or parts.query:
        raise UserError("base_url is written into the run's folder and must hold no user, password or query")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(f"base_url must be like http://127.0.0.1:8000/v1, got {url!r}")


def message_of(error: Any) -> str:
    """The server's message in the body of an error."""
    body = error.body.get("error", error.body) if isinstance(error.body, Mapping) else error.body
    message = body.get("message") if isinstance(body, Mapping) else None
    return message if isinstance(message, str) else str(error.message)


def one_line(text: str, key: str) -> str:
    """A message on one line, the key taken out first: a part of it would be too much."""
    line = " ".join((text.replace(key, "…") if key else text).split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
