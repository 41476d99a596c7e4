"""Errors made from servers' failures and refusals.

A mistake in the set-up ends the run, other refusals fail one request, and what an overloaded or broken server did not
answer another one may.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from longdoc.errors import UserError
from models.apis.accounting.context_window import Overlong
from models.apis.sending.bounded import same_server
from models.apis.sending.response import Unanswered
from models.apis.sending.servers import Unavailable
from models.apis.sending.serving import Serving
from models.thinking import Thinking


class Refusals(Serving):
    """Makes errors, with what to type, from refusals of a reader's settings."""

    temperature: float | None
    thinking: Thinking
    effort: str | None

    @property
    def _begins(self) -> bool:
        """Whether the reader sends the start of the answer as the assistant's message."""
        return False

    def _by_status(self, error: Any, url: str) -> Exception:
        """The error for an HTTP status: `UserError` for a mistake in the set-up, else one of the request alone."""
        status, message = error.status_code, message_of(error)
        if 300 <= status < 400:
            return _redirected(error, url)
        cleaned = self._cleaned(f"HTTP {status}: {message}")
        if status in (401, 402, 403) and self._without_key:
            return UserError(
                f"{url} needs a key ({cleaned}), and gets none because a file names this server: add "
                "key_variable=MY_API_KEY to that file"
            )
        if status in (401, 402, 403):
            return UserError(f"{url} rejects the key in {self._variable} ({cleaned}): export {self._variable}=KEY")
        if status == 404:
            return UserError(f"{url} has no such path or no model {self.model!r} ({cleaned}): check base_url and model")
        if status == 400 and self.temperature is not None and "temperature" in message[:100].lower():
            return UserError(
                f"{self.model} does not accept this temperature ({cleaned}): give temperature=null or another one"
            )
        field = next((name for name in ("effort", "thinking") if getattr(self, name) is not None), None)
        if status == 400 and field and any(word in message.lower() for word in ("thinking", "effort", "reasoning")):
            setting = f"{field}={getattr(self, field)}"
            return UserError(f"{self.model} does not take {setting} ({cleaned}): give another {field}, or leave it out")
        if status == 400 and self._begins and "prefill" in message.lower():
            return UserError(f"{self.model} cannot continue an answer ({cleaned}): switch prefill off (false, or null)")
        problem = f"HTTP {status}: {message.replace(self._secret, '…') if self._secret else message}"
        return Overlong.of(problem, error.body) or _busy_or_broken(error, problem) or Unanswered(problem)


def connection_error(error: Any, url: str, timeout: float, library: ModuleType) -> Unavailable:
    """The error for a connection that failed or timed out."""
    is_reached = type(error.__cause__).__name__ != "ConnectTimeout"  # of httpx, which the clients use
    if isinstance(error, library.APITimeoutError) and is_reached:
        return Unavailable(f"{url} gave no answer in {timeout:g} s (timeout=)", is_counted=True, is_gone=True)
    problem = f"the connection to {url} failed: {error.__cause__ or error}"
    advice = "(does the server run, and is base_url its address?)"
    return Unavailable(f"{problem} {advice}", is_counted=False, is_gone=True)


def _redirected(error: Any, url: str) -> Unanswered:
    """The error for a server that redirects to another server, or too often."""
    place = error.response.headers.get("location", "nowhere")
    if _is_own(error.response.request.url, place):
        return Unanswered(f"{url} redirects to {place}, and that redirects again: give another base_url")
    return Unanswered(
        f"{url} redirects to {place}, another server, which gets no texts and no keys: if it is the right one, give it "
        f"as base_url"
    )


def _is_own(url: Any, place: str) -> bool:
    """Whether a redirect's target is on the server of the URL."""
    try:
        return same_server(url, url.join(place))
    except Exception:  # httpx has an error of its own for what is no URL
        return False


def _busy_or_broken(error: Any, problem: str) -> Unavailable | None:
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
