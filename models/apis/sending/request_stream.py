"""Requests to servers, each sent as soon as there is room, in an order that spares reading prompts twice."""

from collections.abc import Callable, Iterator, Sequence

from longdoc.errors import UserError
from models.apis.accounting.server_use import ServerUse, SharedLengths, cacheable
from models.apis.accounting.shared_prefixes import PrefixOrder
from models.apis.accounting.slot_order import SlotOrder
from models.apis.sending.concurrent import Order, Sending
from models.apis.sending.gate import GatedOrder, Meter
from models.apis.sending.servers import Servers
from models.prompts import Prompt
from models.reader import OnReply, RequestStream
from models.requests import Generate, Reply, Request


class ServerStream(RequestStream):
    """Sends the requests of `order` to `servers`, at most `in_flight` at once, or as many as a meter allows.

    `name` is the reader's, `ask` is called with each, and `use` counts what servers read from their caches.
    """

    def __init__(
        self,
        name: str,
        ask: Callable[[Generate], Reply],
        servers: Servers,
        order: PrefixOrder | SlotOrder,
        in_flight: int,
        meter: Meter | None,
        use: ServerUse,
        on_reply: OnReply,
    ) -> None:
        self._name, self._ask, self._servers, self._order, self._use = name, ask, servers, order, use
        self._requests: dict[int, tuple[Generate, str, int]] = {}  # not sent yet, with text and length that is shared
        self._added = 0
        self._lengths = SharedLengths()
        gated: Order[Reply] = order if meter is None else GatedOrder(order, meter)
        self._sending = Sending(self._reply, in_flight, on_reply, gated)

    def add(self, requests: Sequence[Request]) -> None:
        """Send more requests, which have the next indices. Raises `UserError` for other kinds than `Generate`."""
        generating = [request for request in requests if isinstance(request, Generate)]
        if len(generating) < len(requests):
            raise UserError(f"the reader {self._name} answers Generate requests only")
        prompts = [Prompt.of(request.prompt) for request in generating]
        for request, prompt in zip(generating, prompts, strict=True):
            self._requests[self._added] = (request, prompt.text, self._lengths.add(prompt.text))
            self._added += 1
        self._order.add(prompts)
        self._sending.add(len(requests))

    @property
    def is_short(self) -> bool:
        """Whether a slot, or a server, has nothing to do, or soon will have."""
        return self._order.is_short

    def next(self, wait: bool = True) -> tuple[int, Reply] | None:
        """The next (index, reply) to arrive."""
        return self._sending.next(wait)

    def rest(self) -> Iterator[tuple[int, Reply]]:
        """What is left, as it arrives; nothing is added any more."""
        return self._sending.rest()

    def close(self) -> list[int]:
        """Send nothing more, and wait for what is under way."""
        return self._sending.close()

    def _reply(self, index: int) -> Reply:
        request, text, shared = self._requests.pop(index)
        with self._servers.preferring(self._order.server(index)):
            reply = self._ask(request)
        is_long_only = isinstance(self._order, PrefixOrder)
        self._use.add_reply(reply, cacheable(text, shared, reply.tokens_in, is_long_only))
        return reply
