"""An API reader whose requests go to a function instead of the network, through the same client and code.

Batch files are made with it: the bodies are those that would be sent, and a reply in a file is read as one that came.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from longdoc.optional import need
from models.apis._endpoint import Endpoint
from models.apis.sending.bounded import module_of
from models.requests import Generate, Reply

Respond = Callable[[dict[str, Any]], tuple[int, Any]]  # of a body: status and record. Raises `Awaited`


class Offline:
    """Answers the requests to `reader` with what `respond` gives for their bodies. Not thread-safe.

    `prices` are those of its account; nothing is refused for its cost, and no key is needed.
    """

    def __init__(self, reader: Endpoint, prices: Mapping[str, float], respond: Respond) -> None:
        self.reader = replace(reader, base_url=reader.urls[0], prices=dict(prices), max_cost=None, max_retries=0)
        self._respond = respond
        self.reader.schema_refusals.is_kept = False  # the first body of each request is the one that was written before
        self.reader.use(self._http())

    def reply_to(self, request: Generate) -> Reply:
        """The reply to a request. Raises `Awaited` where one of the calls that it takes has no response yet."""
        return self.reader.reply_to(request)

    def _http(self) -> Any:
        library = need(self.reader.library, self.reader.library, f"the reader {self.reader.library}")
        httpx = module_of(library.DefaultHttpxClient)

        def handle(sent: Any) -> Any:
            status, record = self._respond(json.loads(sent.content))
            return httpx.Response(status, json=record)

        return library.DefaultHttpxClient(transport=httpx.MockTransport(handle))
