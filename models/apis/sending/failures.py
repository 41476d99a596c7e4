"""What a server's failure says: of a request that another server may take, and in which words."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from models.apis.sending.bounded import same_server
from models.apis.sending.response import Unanswered
from models.apis.sending.servers import Unavailable

MAX_SHOWN = 300  # characters of a server's message that go into an error


def connection_error(error: Any, url: str, timeout: float, library: ModuleType) -> Unavailable:
    """The error for a connection that failed, or brought no answer in time."""
    is_reached = type(error.__cause__).__name__ != "ConnectTimeout"  # of httpx, which the clients use
    if isinstance(error, library.APITimeoutError) and is_reached:
        return Unavailable(f"{url} gave no answer in {timeout:g} s (timeout=)", is_counted=True, is_gone=True)
    problem = f"the connection to {url} failed: {error.__cause__ or error}"
    advice = "(does the server run, and is base_url its address?)"
    return Unavailable(f"{problem} {advice}", is_counted=False, is_gone=True)


def redirected(error: Any, url: str) -> Unanswered:
    """The error for a server that sends its requests elsewhere, or in a circle."""
    place = error.response.headers.get("location", "nowhere")
    if _is_own(error.response.request.url, place):
        return Unanswered(f"{url} redirects to {place}, and that redirects again: give another base_url")
    return Unanswered(
        f"{url} redirects to {place}, another server, which gets no texts and no keys: if it is the right one, give it "
        f"as base_url"
    )


def _is_own(url: Any, place: str) -> bool:
    """Whether a place is on the server of a URL, which was followed there as often as it may be."""
    try:
        return same_server(url, url.join(place))
    except Exception:  # httpx has an error of its own for what is no URL
        return False


def busy_or_broken(error: Any, problem: str) -> Unavailable | None:
    """The error for a server that is overloaded or broken; None where it refuses the request itself."""
    wait = seconds_in(error.response.headers.get("retry-after"))
    if error.status_code == 429 or (error.status_code == 503 and wait is not None):
        return Unavailable(problem, is_counted=True, is_gone=False, wait=1.0 if wait is None else wait)
    if error.status_code in (408, 409) or error.status_code >= 500:
        return Unavailable(problem, is_counted=True, is_gone=False)
    return None


def seconds_in(header: str | None) -> float | None:
    """The seconds of a Retry-After, at most a minute; None where it has none, or a date."""
    try:
        seconds = None if header is None else float(header)
    except ValueError:
        return None
    return seconds if seconds is None else min(seconds, 60.0) if seconds > 0 else 0.0  # NaN is over nothing


def message_of(error: Any) -> str:
    """The server's message in the body of an error."""
    body = error.body.get("error", error.body) if isinstance(error.body, Mapping) else error.body
    message = body.get("message") if isinstance(body, Mapping) else body
    return message if isinstance(message, str) else str(error.message)


def one_line(text: str, key: str) -> str:
    """A message on one line, the key taken out first: a part of it would be too much."""
    line = " ".join((text.replace(key, "…") if key else text).split())
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + "…"
