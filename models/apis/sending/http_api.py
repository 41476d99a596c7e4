"""A client for APIs that have no official one of their own: requests and replies in JSON, over bounded HTTP.

It does what the official clients do: it asks again on HTTP 408, 409, 429 and 5xx, where no connection comes about and
where no reply is there in time, as `Retry-After` says or after 0.5, 1, 2 … 8 seconds. Its errors have their names.
"""

import json
import time
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from models.apis.sending.bounded import http_library
from models.apis.sending.failures import seconds_in
from models.apis.sending.keys import NO_KEY

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0  # seconds
RETRY_STATUSES = (408, 409, 429)

_http: Any = import_module(http_library())
Timeout = _http.Timeout


class DefaultHttpxClient(_http.Client):  # type: ignore[misc]  # known at run time only
    """HTTP with room for as many connections as requests are under way."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"limits": _http.Limits(max_connections=1000, max_keepalive_connections=100)} | options)


class APIError(Exception):
    """What a request failed with."""


class APIConnectionError(APIError):
    """A connection that failed; the cause is the error of the HTTP library."""


class APITimeoutError(APIConnectionError):
    """No complete reply in time."""


class APIStatusError(APIError):
    """An answer without the status of success; `body` is its JSON, None where it is none."""

    def __init__(self, response: Any) -> None:
        self.response, self.status_code, self.body = response, response.status_code, _record(response)
        self.message = response.text[:1000] or response.reason_phrase
        super().__init__(self.message)


class Client:
    """Sends JSON to an address, with a key where there is one."""

    def __init__(
        self, *, api_key: str, base_url: str, http_client: Any, max_retries: int, timeout: Any = 600.0
    ) -> None:
        self._url, self._http, self._retries, self._timeout = base_url.rstrip("/"), http_client, max_retries, timeout
        self._headers = {} if api_key == NO_KEY else {"Authorization": f"Bearer {api_key}"}

    def post(self, path: str, *, body: Any, options: Mapping[str, Any], cast_to: Any = None) -> Any:
        """The HTTP response to a POST. The arguments are those of the official clients' method of this name.

        `options` may have `timeout` and `max_retries`; `cast_to` is the one class of responses that there is. Raises
        `APIStatusError`, `APIConnectionError`.
        """
        tries, retries = 0, options.get("max_retries", self._retries)
        while True:
            try:
                response = self._sent(path, body, options.get("timeout", self._timeout))
            except APIConnectionError:
                if tries == retries:
                    raise
                wait = None
            else:
                if response.is_success:
                    return response
                if tries == retries or not (response.status_code in RETRY_STATUSES or response.status_code >= 500):
                    raise APIStatusError(response)
                wait = seconds_in(response.headers.get("retry-after"))
            time.sleep(min(FIRST_WAIT * 2**tries, LONGEST_WAIT) if wait is None else wait)
            tries += 1

    def _sent(self, path: str, record: Any, timeout: Any) -> Any:
        try:
            return self._http.post(f"{self._url}{path}", json=record, headers=self._headers, timeout=timeout)
        except _http.TimeoutException as error:
            raise APITimeoutError(str(error)) from error
        except _http.HTTPError as error:
            raise APIConnectionError(str(error)) from error


def _record(response: Any) -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):  # whatever is no JSON
        return None
