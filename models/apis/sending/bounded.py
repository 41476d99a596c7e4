"""HTTP with bounds, for the official clients and for checks of health: a server is trusted as little as a file.

- A reply is complete after the seconds that its request may take, however slowly a server sends it; what a hostile one
  dribbles is left alone in a thread of its own.
- It has at most `MOST_BYTES`, also when it is decompressed.
- A request goes to its own server alone. A redirect is followed within one, and from http to https on it: keys and
  texts go nowhere else.
"""

import os
import time
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from models.apis.sending.deadline import within
from models.apis.sending.gate import Meter

MOST_BYTES = 64 * 2**20
REDIRECTS = 5  # in a row
SPARE_LIMIT = 1.0  # seconds after which a thread is left alone that should have ended by itself
UNREAD = "longdoc_unread"  # the extension of a response that was not read whole: why
_DECODED = ("gzip", "deflate")  # what is asked for; others, and several in turn, may unpack to any length at once
_PORTS = {"http": 80, "https": 443}
COUNTING = ("/tokenize", "/apply-template")  # ends of paths of requests that no model answers


def client(library: Any, meter: Meter | None = None, broken: set[str] | None = None) -> Any:
    """The HTTP client for an official one.

    The meter is told of each POST that a model answers. The hosts to which a connection fails are added to `broken`.
    """
    base = library.DefaultHttpxClient
    bounded_client = _bounded(base)(verify=_certificates(module_of(base).__name__))
    bounded_client.meter, bounded_client.broken = meter, set() if broken is None else broken
    return bounded_client


def get(url: str, seconds: float, headers: Mapping[str, str] | None = None) -> Any:
    """The response to a GET. Raises where none comes, or none that is within the bounds."""
    return _sent("GET", url, seconds, headers=headers)


def post(url: str, record: Any, seconds: float) -> Any:
    """The response to a POST of JSON. Raises likewise."""
    return _sent("POST", url, seconds, json=record)


def _sent(method: str, url: str, seconds: float, **content: Any) -> Any:
    http = import_module(http_library())
    with _bounded(http.Client)(timeout=seconds, verify=_certificates(http.__name__)) as value:
        response = value.request(method, url, **content)
    if problem := unread(response):
        raise ValueError(problem)
    return response


def _certificates(library: str) -> Any:
    """The certificates that the HTTP library trusts, where the environment says or the system's.

    They are shared by all clients: reading them takes 25 ms, more than most requests to a server on this machine.
    """
    return _read_certificates(library, *(os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")))


@lru_cache(maxsize=4)
def _read_certificates(library: str, file: str | None, folder: str | None) -> Any:
    return import_module(library).create_ssl_context()


def http_library() -> str:
    """The HTTP library that is installed: whichever the hub's client and the official ones bring along."""
    return "httpx2" if find_spec("httpx2") else "httpx"


def module_of(base: Any) -> Any:
    """The module of an HTTP client's class: httpx, or the one that took its place."""
    return import_module(
        next(value.__module__.partition(".")[0] for value in base.__mro__ if value.__name__ == "Client")
    )


def unread(response: Any) -> str:
    """Why a response was not read; empty where it was."""
    return str(response.extensions.get(UNREAD, ""))


def same_server(url: Any, other: Any) -> bool:
    """Whether the second address is at the first one's server, or at its https where the first is http."""
    if url.host != other.host:
        return False
    ports = [value.port or _PORTS.get(value.scheme) for value in (url, other)]
    if url.scheme == other.scheme:
        return ports[0] == ports[1]
    return (url.scheme, other.scheme) == ("http", "https") and ports == [80, 443]


def _bounded(base: Any) -> Any:
    """A class of HTTP clients whose replies are bounded; they are read whole before they are returned."""
    http = module_of(base)

    class Bounded(base):  # type: ignore[misc]  # known at run time only
        meter: Meter | None = None
        broken: set[str] = set()  # noqa: RUF012  # each client has its own

        def send(self, request: Any, **options: Any) -> Any:
            try:
                if self.meter is None or request.method != "POST" or request.url.path.endswith(COUNTING):
                    return self._sent_whole(request, options)
                with self.meter.timed() as responses:
                    responses.append(self._sent_whole(request, options))
            except (http.NetworkError, http.RemoteProtocolError):
                self.broken.add(request.url.netloc.decode())
                raise
            return responses[0]

        def _sent_whole(self, request: Any, options: dict[str, Any]) -> Any:
            seconds = request.extensions.get("timeout", {}).get("read")
            late_value = http.ReadTimeout(f"no complete reply in {seconds} s", request=request)
            request.headers["Accept-Encoding"] = ", ".join(_DECODED)
            options = options | {"stream": True, "follow_redirects": False}
            ends = None if seconds is None else time.monotonic() + seconds
            wait = None if seconds is None else seconds + SPARE_LIMIT
            return within(wait, lambda: self._whole_value(request, options, ends, late_value), late_value)

        def _whole_value(self, request: Any, options: dict[str, Any], ends: float | None, error: Exception) -> Any:
            for _ in range(REDIRECTS):
                response = super().send(request, **options)
                try:
                    content, problem = _content(response, ends, error)
                finally:
                    response.close()
                following = response.next_request
                if following is None or not same_server(request.url, following.url):
                    break
                request = following
            headers = [(name, value) for name, value in response.headers.multi_items() if name not in _THE_WAY_NAMES]
            more_values = {UNREAD: problem} if problem else {}
            return http.Response(
                response.status_code, headers=headers, content=content, request=response.request, extensions=more_values
            )

    return Bounded


_THE_WAY_NAMES = ("content-encoding", "content-length", "transfer-encoding")  # headers that are not of what was read


def _content(response: Any, ends: float | None, error: Exception) -> tuple[bytes, str]:
    """The bytes of a response, or none and why they were not read."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in (*_DECODED, "identity"):
        return b"", f"a reply compressed as {coding[:40]!r}, which was not asked for"
    content = bytearray()
    for part in response.iter_bytes():
        if ends is not None and time.monotonic() > ends:
            raise error
        if len(content) + len(part) > MOST_BYTES:
            return b"", f"a reply of over {MOST_BYTES / 2**20:g} MiB"
        content += part
    return bytes(content), ""
