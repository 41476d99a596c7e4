"""HTTP with bounds, for the official clients and for checks of health: a server is trusted as little as a file.

- A reply is complete after the seconds that its request may take, however slowly a server sends it; what a hostile one
  dribbles is left alone in a thread of its own.
- It has at most `MOST_BYTES`, also when it is decompressed.
- A request goes to its own server alone. A redirect is followed within one, and from http to https on it: keys and
  texts go nowhere else.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from models.apis.sending.adaptive_limit import Meter

MOST_BYTES = 64 * 2**20
REDIRECTS = 5  # in a row
GRACE_SECONDS = 1.0  # seconds after which a thread is left alone that should have ended by itself
IDLE_LIMIT = 10.0  # seconds after which an idle thread for calls with a time limit ends
UNREAD = "longdoc_unread"  # the extension of a response that was not read whole: why
_DECODED = ("gzip", "deflate")  # what is asked for; others, and several in turn, may unpack to any length at once
_TRANSFER_HEADERS = ("content-encoding", "content-length", "transfer-encoding")  # headers that are not of what was read
_PORTS = {"http": 80, "https": 443}
COUNTING = ("/tokenize", "/apply-template")  # ends of paths of requests that no model answers


def client(library: Any, meter: Meter | None = None, broken_hosts: set[str] | None = None) -> Any:
    """The bounded HTTP client to pass to an official API client.

    The meter times each POST that a model answers. Hosts to which a connection fails are added to `broken_hosts`.
    """
    base = library.DefaultHttpxClient
    bounded_client = _bounded(base)(verify=_certificates(module_of(base).__name__))
    bounded_client.meter, bounded_client.broken_hosts = meter, set() if broken_hosts is None else broken_hosts
    return bounded_client


def get(url: str, seconds: float, headers: Mapping[str, str] | None = None) -> Any:
    """The response to a GET. Raises if none comes or if it exceeds the bounds."""
    return _sent("GET", url, seconds, headers=headers)


def post(url: str, record: Any, seconds: float) -> Any:
    """The response to a POST of JSON. Raises as `get` does."""
    return _sent("POST", url, seconds, json=record)


def _sent(method: str, url: str, seconds: float, **content: Any) -> Any:
    http = import_module(http_library())
    with _bounded(http.Client)(timeout=seconds, verify=_certificates(http.__name__)) as http_client:
        response = http_client.request(method, url, **content)
    if problem := unread(response):
        raise ValueError(problem)
    return response


def _certificates(library: str) -> Any:
    """The certificates that the HTTP library trusts: those that the environment names, else the system's.

    They are shared by all clients: reading them takes 25 ms, more than most requests to a server on this machine.
    """
    return _read_certificates(library, *(os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")))


@lru_cache(maxsize=4)
def _read_certificates(library: str, file: str | None, folder: str | None) -> Any:
    return import_module(library).create_ssl_context()


def http_library() -> str:
    """The name of the installed HTTP library, a dependency of the hub's client and the official ones."""
    return "httpx2" if find_spec("httpx2") else "httpx"


def module_of(base: Any) -> Any:
    """The module of an HTTP client's class: httpx or its successor."""
    return import_module(
        next(parent.__module__.partition(".")[0] for parent in base.__mro__ if parent.__name__ == "Client")
    )


def unread(response: Any) -> str:
    """Why a response was not read; "" if it was."""
    return str(response.extensions.get(UNREAD, ""))


def same_server(url: Any, other: Any) -> bool:
    """Whether the second address is at the first one's server, or at its https where the first is http."""
    if url.host != other.host:
        return False
    ports = [address.port or _PORTS.get(address.scheme) for address in (url, other)]
    if url.scheme == other.scheme:
        return ports[0] == ports[1]
    return (url.scheme, other.scheme) == ("http", "https") and ports == [80, 443]


def _bounded(base: Any) -> Any:
    """A subclass of an HTTP client whose replies are bounded, and read completely before they are returned."""
    http = module_of(base)

    class Bounded(base):  # type: ignore[misc]  # known at run time only
        meter: Meter | None = None
        broken_hosts: set[str] = set()  # noqa: RUF012  # each client has its own

        def send(self, request: Any, **options: Any) -> Any:
            try:
                if self.meter is None or request.method != "POST" or request.url.path.endswith(COUNTING):
                    return self._send_bounded(request, options)
                with self.meter.timed() as responses:
                    responses.append(self._send_bounded(request, options))
            except (http.NetworkError, http.RemoteProtocolError):
                self.broken_hosts.add(request.url.netloc.decode())
                raise
            return responses[0]

        def _send_bounded(self, request: Any, options: dict[str, Any]) -> Any:
            seconds = request.extensions.get("timeout", {}).get("read")
            timeout_error = http.ReadTimeout(f"no complete reply in {seconds} s", request=request)
            request.headers["Accept-Encoding"] = ", ".join(_DECODED)
            options = options | {"stream": True, "follow_redirects": False}
            deadline = None if seconds is None else time.monotonic() + seconds
            wait = None if seconds is None else seconds + GRACE_SECONDS
            return within(wait, lambda: self._read_whole(request, options, deadline, timeout_error), timeout_error)

        def _read_whole(self, request: Any, options: dict[str, Any], deadline: float | None, error: Exception) -> Any:
            for _ in range(REDIRECTS):
                response = super().send(request, **options)
                try:
                    content, problem = _content(response, deadline, error)
                finally:
                    response.close()
                following = response.next_request
                if following is None or not same_server(request.url, following.url):
                    break
                request = following
            headers = [(name, value) for name, value in response.headers.multi_items() if name not in _TRANSFER_HEADERS]
            extensions = {UNREAD: problem} if problem else {}
            return http.Response(
                response.status_code, headers=headers, content=content, request=response.request, extensions=extensions
            )

    return Bounded


def _content(response: Any, deadline: float | None, error: Exception) -> tuple[bytes, str]:
    """(content, problem) of a response: its bytes, or b"" and why it was not read."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in (*_DECODED, "identity"):
        return b"", f"a reply compressed as {coding[:40]!r}, which was not asked for"
    content = bytearray()
    for part in response.iter_bytes():
        if deadline is not None and time.monotonic() > deadline:
            raise error
        if len(content) + len(part) > MOST_BYTES:
            return b"", f"a reply of over {MOST_BYTES / 2**20:g} MiB"
        content += part
    return bytes(content), ""


T = TypeVar("T")

_idle_threads: "list[_Thread]" = []  # append, pop and remove are atomic
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle_threads.clear)  # a forked process has none of them


def within(seconds: float | None, call: Callable[[], T], error: Exception) -> T:
    """The result of a call that runs in another thread. Raises `error` if it takes longer than `seconds`."""
    outcome: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    try:
        thread = _idle_threads.pop()
    except IndexError:
        thread = _Thread()
        thread.start()
    thread.calls.put((call, outcome))
    try:
        value, problem = outcome.get(timeout=seconds)
    except Empty:
        raise error from None
    if problem is not None:
        raise problem
    return value  # type: ignore[no-any-return]


class _Thread(threading.Thread):
    """Runs a call at a time, and is among the idle ones in between."""

    def __init__(self) -> None:
        super().__init__(name="http", daemon=True)
        self.calls: SimpleQueue[tuple[Callable[[], Any], SimpleQueue[tuple[Any, BaseException | None]]]] = SimpleQueue()

    def run(self) -> None:
        """Run calls until none has come for a while."""
        while self._run_next():
            pass

    def _run_next(self) -> bool:
        try:
            call, outcome = self.calls.get(timeout=IDLE_LIMIT)
        except Empty:
            try:
                _idle_threads.remove(self)
            except ValueError:  # a call is on its way
                return True
            return False
        try:
            result: tuple[Any, BaseException | None] = call(), None
        except BaseException as error:
            result = None, error
        _idle_threads.append(self)
        outcome.put(result)
        return True
