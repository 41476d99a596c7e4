"""The addresses of servers, and how long their clients wait."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from longdoc.errors import UserError

CONNECT = 10.0  # seconds for a connection to one of several servers


def quick_timeout(library: Any, timeout: float) -> Any:
    """A client's timeout that does not wait long for a machine that is gone, of the kind that the library takes."""
    return library.Timeout(timeout, connect=min(timeout, CONNECT))


def check_urls(urls: Sequence[str]) -> None:
    """Refuse a list without an address or with one twice, and what `check_url` refuses."""
    if not urls or len(set(urls)) < len(urls):
        raise UserError(f"base_url=[…] is a list of different addresses, got {len(urls)}")
    for url in urls:
        check_url(url)


def check_url(url: str, name: str = "base_url") -> None:
    """Refuse an address that is none, or that holds a password: it is written into the run's folder."""
    if {"@", "?", "#"} & set(url):  # looked for by hand: what follows shows addresses, also those that are none
        raise UserError(
            f"{name} is written into the run's folder and must hold no user, password or query: "
            "leave them out, and give a key by key_variable"
        )
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  (raises where it is no number)
    except ValueError:
        raise UserError(f"{name} is not an address: {url!r}; give one like http://127.0.0.1:8000/v1") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(f"{name} must be like http://127.0.0.1:8000/v1, got {url!r}")
