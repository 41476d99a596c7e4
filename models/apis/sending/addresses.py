"""The addresses of servers: which are valid, whose they are, whether a healthy server is there, how long to wait."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from longdoc.errors import UserError
from models.apis.sending.bounded import get

SECONDS = 10.0  # for an answer to a check; SGLang generates a token for its health
CONNECT = 10.0  # seconds for a connection to one of several servers


def check_urls(urls: Sequence[str]) -> None:
    """Raise `UserError` for an empty list, for duplicate addresses, and for what `check_url` refuses."""
    if not urls or len(set(urls)) < len(urls):
        raise UserError(f"base_url=[…] is a list of different addresses, got {len(urls)}")
    for url in urls:
        check_url(url)


def check_url(url: str, name: str = "base_url") -> None:
    """Raise `UserError` for a bad address, or one with a password: it is written into the run's folder."""
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


def is_own(url: str) -> bool:
    """Whether this is the user's own server, not a provider's (which has https and no port)."""
    parts = urlsplit(url)
    return parts.scheme == "http" or parts.port is not None


def root_of(url: str) -> str:
    """The address beside whose `/v1` the other paths are."""
    scheme, host, path, *_ = urlsplit(url)
    return urlunsplit((scheme, host, path.rstrip("/").removesuffix("/v1"), "", ""))


def problem_of(url: str, seconds: float = SECONDS) -> str:
    """Why the server at a `base_url` is not healthy; "" where it is.

    `GET /health` beside `/v1`, as vLLM, SGLang and llama.cpp have it, gives any answer but HTTP 5xx.
    """
    try:
        status = get(f"{root_of(url)}/health", min(SECONDS, seconds)).status_code
    except Exception as error:  # whatever a server sends, or does not
        return f"GET /health failed: {error or type(error).__name__}"
    return f"GET /health gave HTTP {status}" if status >= 500 else ""


def quick_timeout(library: Any, timeout: float) -> Any:
    """A client library's timeout object, with at most 10 seconds to connect."""
    return library.Timeout(timeout, connect=min(timeout, CONNECT))
