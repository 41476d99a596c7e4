"""What readers behind an HTTP API share: requests in threads, spending, keys from the environment, kinds of errors.

The official clients do the talking: they wait and ask again on 408, 409, 429 and 5xx, honour `Retry-After`, and hold
the connections. Here a refused key, a missing model and a temperature that the model does not take end the run;
everything else is the error of its own request. A prompt that the server finds too long for the `window` is cut again.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any, ClassVar, Literal

from longdoc.errors import UserError
from longdoc.registry import LATER_VALUES, name_of
from longdoc.visible import note
from models.accounting.usage import Usage
from models.api_models import known_window
from models.apis._schemas import SCHEMA, WHITE_SPACE, WORDS, SchemaRefusals, longest_output
from models.apis._thinking import with_extra
from models.apis.accounting import context_window
from models.apis.accounting.context_window import Overlong
from models.apis.accounting.sent_prompts import sent_prompt
from models.apis.accounting.served_model import ServedModel
from models.apis.accounting.server_tokens import CountError, ServerTokens
from models.apis.accounting.server_use import ServerUse, cacheable, shared_lengths
from models.apis.accounting.shared_prefixes import PrefixOrder, SharedPrefixes
from models.apis.accounting.slot_order import SlotOrder
from models.apis.accounting.spending import Account
from models.apis.sending import bounded, keys
from models.apis.sending.accepted_fields import STATUSES, Learned, Replacements
from models.apis.sending.adaptive_limit import AdaptiveLimit
from models.apis.sending.addresses import check_urls, quick_timeout
from models.apis.sending.concurrent import Order, replies_in_order_of_arrival
from models.apis.sending.failures import connection_error
from models.apis.sending.gate import GatedOrder, Meter
from models.apis.sending.refusals import Refusals
from models.apis.sending.response import (
    ApiResponse,
    Awaited,
    Unanswered,
    content_of,
    plain_text,
    reply_of,
    served,
    tokens_in,
    tokens_out,
)
from models.apis.sending.servers import Server, Servers
from models.prompts import Prompt
from models.reader import OnReply
from models.requests import Generate, Reply, Request
from models.thinking import OFF_VALUE, checked, tokens_of
from models.tools import tools_text
from models.truncation import TooLong, truncate
from models.word_reader import check_limit

TOKENS = 4096  # that a reply of `timeout` seconds holds; longer ones may take longer in proportion


@dataclass(frozen=True, eq=False)
class Endpoint(Refusals, ABC):
    """The fields and the behaviour of a reader behind an API; `Openai` and `Anthropic` say what they mean."""

    model: str
    base_url: str | tuple[str, ...] | None = None
    system: str | None = None
    temperature: float | None = None
    max_input_tokens: int | None = None
    window: int | None = None
    concurrency: int | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    max_cost: float | None = None
    timeout: float = 600.0
    max_retries: int = 4
    extra: Mapping[str, Any] = field(default_factory=dict)
    key_variable: str | None = None
    tokenizer: str | None = None
    thinking: int | Literal["off"] | None = field(default=None, metadata=LATER_VALUES)
    effort: str | None = field(default=None, metadata=LATER_VALUES)
    structured: bool | None = None

    not_in_folders: ClassVar[frozenset[str]] = frozenset({"model"})  # they must not send texts and keys anywhere
    supports = frozenset({Generate})
    is_chat = True
    stops_when_empty = True
    offers_tools = True
    others: ClassVar[Replacements] = {}  # fields of a body that some servers refuse, and what to send instead

    _made: list[Servers] = field(default_factory=list, init=False, repr=False)  # once there are clients
    _meter: Meter | None = field(default=None, init=False, repr=False)  # where the limit is adaptive
    _thinks: list[bool] = field(default_factory=list, init=False, repr=False)  # once it did so that should not
    _accepted_fields: Learned = field(default_factory=Learned, init=False, repr=False)
    schema_refusals: SchemaRefusals = field(default_factory=SchemaRefusals, init=False, repr=False)
    _lock: Any = field(default_factory=threading.RLock, init=False, repr=False)
    _looked: list[ServedModel] = field(default_factory=list, init=False, repr=False)  # once the servers were asked
    _counters: list[ServerTokens | None] = field(default_factory=list, init=False, repr=False)
    _memories: list[bool] = field(default_factory=list, init=False, repr=False)
    _broken_hosts: set[str] = field(default_factory=set, init=False, repr=False)  # hosts to which a connection failed
    _looking: Any = field(default_factory=threading.RLock, init=False, repr=False)
    _prefixes: SharedPrefixes = field(default_factory=SharedPrefixes, init=False, repr=False)
    _use: ServerUse = field(default_factory=ServerUse, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse what cannot work; the key is looked for when a run begins."""
        object.__setattr__(self, "thinking", checked(self.thinking))
        check_limit(self.max_input_tokens)
        for name, value, minimum in (
            ("concurrency", self.concurrency, 1),
            ("max_retries", self.max_retries, 0),
            ("timeout", self.timeout, 0.001),
            ("window", self.window, 1),
        ):
            if value is not None and value < minimum:
                raise UserError(f"{name} must be at least {minimum}, got {value}")
        if self.concurrency is None and not self.several:
            object.__setattr__(self, "_meter", Meter(AdaptiveLimit()))
        keys.check_variable(self.key_variable)
        check_urls(self.urls)
        keys.check_unwritten(
            self._variable, {field.name: getattr(self, field.name) for field in fields(self) if field.init}
        )
        if self.effort is not None and not self.effort.strip():
            raise UserError("effort is empty: give a word of the API's, effort=low, or leave it out")
        if self.effort is not None and self.thinking == OFF_VALUE:
            raise UserError(f"effort={self.effort} is of thinking, and thinking=off leaves none: drop one of them")
        self._account, self._subwords, self._body  # noqa: B018  (raise for prices, tokenizers, fields that cannot be)

    @property
    def thinking_tokens(self) -> int:  # type: ignore[override]
        """The tokens that `thinking` adds to the longest output."""
        return tokens_of(self.thinking)

    @cached_property
    def _body(self) -> dict[str, Any]:
        """The fields of each request's body that are the same for all: those about thinking, and `extra`."""
        cause = f"effort={self.effort}" if self.effort is not None else f"thinking={self.thinking}"
        return with_extra(self._thinking_fields(), self.extra, cause)

    @abstractmethod
    def _thinking_fields(self) -> dict[str, Any]:
        """What the body says of `thinking` and `effort`. Raises `UserError` for what the model cannot do."""

    def _longest(self, request: Generate) -> int:
        """The most tokens of one output: the answer's and those of thinking."""
        return request.max_new_tokens + self.thinking_tokens

    @cached_property
    def _account(self) -> Account:
        return Account(self.prices, self.max_cost)

    @property
    def in_flight(self) -> int:
        """Requests in flight at once, at all servers together."""
        return self.server_concurrency * len(self.urls)

    @property
    def spent(self) -> float | None:
        """What the run has cost, by `prices`; None without them."""
        return self._account.spent

    @property
    def tokens_spent(self) -> Usage:
        """The tokens that the run has paid for."""
        return self._account.usage

    def begin(self, tokens_in: int, tokens_out: int, cached_tokens: int = 0, cache_write_tokens: int = 0) -> None:
        """A run begins whose log holds replies of that many tokens: they count towards `max_cost`."""
        self._account.begin(Usage(tokens_in, tokens_out, cached_tokens, cache_write_tokens))
        self._use.begin()

    @property
    def server_use(self) -> str:
        """What the servers read from their caches since then, and how busy they were; empty where they do not tell."""
        return str(self._use)

    def resolve(self) -> dict[str, Any]:
        """What a run records. Raises `UserError` where the client or the key is missing."""
        self._servers()
        return {
            "base_url": list(self.urls) if self.several else self.urls[0],
            "concurrency": self.concurrency,
            "prices": dict(self.prices),
            "max_cost": self.max_cost,
            "timeout": self.timeout,
            "max_retries": self.max_retries,
            "versions": {self.library: version(self.library)},
            **self._recorded_window(),
        }

    def _recorded_window(self) -> dict[str, Any]:
        """What decides where prompts are cut, beside the fields."""
        self._remember()
        record: dict[str, Any] = {"template_tokens": self.template_tokens} if self.context_window else {}
        if self.context_window != self.window:
            record["window"] = self.context_window
        return record | ({"counts_tokens": True} if self._server_tokens is not None else {})

    def stream(
        self, requests: Sequence[Request], on_reply: OnReply = lambda place, reply: None
    ) -> Iterator[tuple[int, Reply]]:
        """(index of the request, its reply) as replies arrive; `on_reply` is called with each first, in any thread.

        Requests whose prompts begin alike follow each other: at each slot of a server that has slots (`slot_order`),
        at others the first alone until it is back (`shared_prefixes`).
        Raises `UserError` once those under way are in.
        """
        if any(not isinstance(request, Generate) for request in requests):
            raise UserError(f"the reader {name_of(self)}:{self.model} answers Generate requests only")
        if not requests:
            return iter(())
        self._check_servers()
        servers = self._servers()
        prompts = [Prompt.of(request.prompt) for request in requests if isinstance(request, Generate)]
        urls, shared = [server.url for server in servers.all], shared_lengths([prompt.text for prompt in prompts])
        order: PrefixOrder | SlotOrder
        sending: Order[Reply]
        if self.slots is not None:
            sending = order = self._prefixes.slot_order(prompts, urls, self.slots, self.server_concurrency)
        else:
            order = self._prefixes.order(prompts, self.count, urls, self.server_concurrency)
            sending = order if self._meter is None else GatedOrder(order, self._meter)

        def ask(index: int) -> Reply:
            with servers.preferring(order.server(index)):
                reply = self.reply_to(requests[index])
            tokens = cacheable(prompts[index].text, shared[index], reply.tokens_in, self.slots is None)
            self._use.add_reply(reply, tokens)
            return reply

        self._use.start(self.slots)
        return replies_in_order_of_arrival(ask, range(len(requests)), self.in_flight, on_reply, sending)

    def reply_to(self, request: Any) -> Reply:
        """The reply to one request."""
        if refusal := self._account.refusal:
            return Reply(None, finish_reason="unasked", error=refusal)
        self._look_again_if_broken()
        try:
            limit = self._limit(request)
            if limit is not None and limit < 1:
                return Reply.failed(self.no_room_message(request.max_new_tokens))
            return self._replied(self._cut(Prompt.of(request.prompt), limit, request), request, [], 0)
        except TooLong as error:
            return Reply.failed(str(error), error.fixed)
        except CountError as error:
            return Reply.failed(str(error))

    def _cut(self, prompt: Prompt, limit: int | None, request: Generate) -> Prompt:
        """The prompt cut to a limit; further where the chat template and it make more tokens together than apart."""
        cut = truncate(prompt, limit, self.count, self.token_ends, self.edges)
        while limit is not None and (over := self._over(cut, request)) > 0:
            limit = min(limit, self.count([cut.text])[0]) - over
            cut = truncate(cut, limit, self.count, self.token_ends, self.edges)
        return cut

    def _over(self, prompt: Prompt, request: Generate) -> int:
        """By how many tokens prompt, template and output are over the window, where the server counts them."""
        if self.context_window is None or self._server_tokens is None or request.tools:
            return 0
        room = self.context_window - self._longest(request)
        if self.count([prompt.text])[0] + self.template_tokens + context_window.SPARE_LIMIT <= room:
            return 0
        return (self._conversation_tokens(self._messages(prompt)) or 0) - room

    def _limit(self, request: Generate) -> int | None:
        """The most tokens of a prompt beside the tools of its request; None for no bound."""
        limit = self.prompt_limit(request.max_new_tokens)
        return limit if limit is None or not request.tools else limit - self.count([tools_text(request.tools)])[0]

    def _replied(self, prompt: Prompt, request: Generate, responses: list[ApiResponse], tried_count: int) -> Reply:
        """The reply to a prompt, cut again where the server finds it over the window. Raises `TooLong`."""
        try:
            while (missing := request.n - sum(len(response.texts) for response in responses)) > 0:
                responses.append(self._call(prompt, request, missing))
        except Unanswered as error:
            if (limit := self._shorter(error, prompt, request, tried_count)) is not None:
                return self._replied(self._cut(prompt, limit, request), request, responses, tried_count + 1)
            responses += [error.response] if error.response else []
            count = self.count([prompt.text])[0]
            fields = self._known_window(), self.context_window, self.tokenizer
            advice = context_window.advice(error, count, self._longest(request), *fields)
            message = self._cleaned(str(error)) + advice
            return Reply(
                None,
                tokens_in(responses),
                tokens_out(responses),
                prompt.truncated_tokens,
                "error",
                message,
                served=served(responses),
            )
        reply = reply_of(responses, request, prompt.truncated_tokens)
        if self.thinking == OFF_VALUE and (reply.thinking or reply.reasoning_tokens):
            self._say_that_it_thinks()
        return reply

    def _known_window(self) -> int | None:
        """The model's window, where it is known without asking for it."""
        return known_window(self.model)

    def _say_that_it_thinks(self) -> None:
        """Say once that thinking=off changed nothing."""
        with self._lock:
            if not self._thinks:
                self._thinks.append(True)
                problem = f"{self.model} thinks although thinking=off was sent, which takes from its answers' length"
                note(f"{problem}: give thinking=2048, or the switch of its server in extra=")

    def _shorter(self, error: Unanswered, prompt: Prompt, request: Generate, tried_count: int) -> int | None:
        """The bound on the prompt for another try, None where the server's words give no ground for one."""
        if tried_count == context_window.AGAIN_LIMIT or not isinstance(error, Overlong):
            return None
        count = self.count([prompt.text])[0]
        if self._is_other_window(error):
            self._look_again()
            if (limit := self._limit(request)) is not None and limit < count:
                return limit
        if self.context_window is None or error.over is None:
            return None
        return error.over.limit(count, self.context_window, self._longest(request), tried_count)

    def _is_other_window(self, error: Overlong) -> bool:
        """Whether a server may have another window than it had when it was asked."""
        return bool(self._broken_hosts) or (
            error.over is not None and error.over.window not in (None, self.served.window)
        )

    def _call(self, prompt: Prompt, request: Generate, n: int) -> ApiResponse:
        """One call of the API; whatever comes back with a bill is counted."""
        messages, servers = self._messages(prompt), self._servers()
        try:
            if self.several:
                response = servers.ask(lambda server: self._call_at(server, messages, request, n), self.max_retries)
            else:
                response = self._call_at(servers.all[0], messages, request, n)
        except Unanswered as error:
            if error.response is not None:
                self._count(prompt.text, error.response)
            raise
        return self._count(prompt.text, response)

    def _call_at(self, server: Server, messages: list[dict[str, Any]], request: Generate, n: int) -> ApiResponse:
        """One call of a server's API. Raises `Unanswered`, and `UserError` for a mistake in the set-up."""
        library, choices = self._library(), request.choices
        request = request if self._holds(request) else replace(request, choices=())
        seconds = self.timeout * max(1.0, self._longest(request) * n / TOKENS)
        wait = quick_timeout(library, seconds) if self.several else seconds
        try:
            response = self._read(self._ask(server.client, messages, request, n, wait), server.url, bool(request.tools))
            return replace(response, choices=SCHEMA if request.choices else WORDS if choices else None)
        except (Unanswered, UserError):
            raise
        except library.APIStatusError as error:
            known_error = self._by_status(error, server.url)
            if isinstance(known_error, Overlong):
                raise known_error from None
            if not self._accepted_fields.changes(error, self._changeable, server.url):
                if not request.choices or error.status_code not in STATUSES or isinstance(known_error, UserError):
                    raise known_error from None
                return self._without_schema(known_error, server, messages, request, n)
        except library.APIConnectionError as error:
            if isinstance(error.__cause__, Awaited):
                raise error.__cause__ from None
            raise connection_error(error, server.url, seconds, library) from None
        except Exception as error:  # a server may send anything: what reading it raises is the request's own
            raise Unanswered(f"{server.url} sent no readable reply: {error or type(error).__name__}") from None
        return self._call_at(server, messages, request, n)  # ends, as what was learned is not sent again

    def _holds(self, request: Generate) -> bool:
        """Whether the server is to hold an output to the request's choices: None leaves out what it refused before.

        None leaves it out, too, where the output has no room for the object around a choice.
        """
        if self.structured is not None or not request.choices:
            return bool(self.structured and request.choices)
        tokens = self.count([longest_output(request.choices)])[0] + WHITE_SPACE
        return tokens <= request.max_new_tokens and not self.schema_refusals.is_refused

    def _without_schema(
        self, error: Exception, server: Server, messages: list[dict[str, Any]], request: Generate, n: int
    ) -> ApiResponse:
        """The response to a refused request without its schema: if there is one, the schema was what was refused.

        Raises `UserError` then where the schema has to be sent.
        """
        response = self._call_at(server, messages, replace(request, choices=()), n)
        problem = self._cleaned(str(error))
        if self.structured:
            raise UserError(f"{server.url} takes no JSON schema ({problem}): leave structured=true out")
        self.schema_refusals.add(server.url, problem)
        return replace(response, choices=WORDS)

    @property
    def _changeable(self) -> Replacements:
        """The fields of a body that may be sent otherwise: those of `extra`, and a `temperature` of the user's, not."""
        options = self.extra.get("options")
        fixed = {*self.extra, *(options if isinstance(options, Mapping) else ())}
        if self.temperature != type(self).temperature:
            fixed.add("temperature")
        return {name: other for name, other in self.others.items() if name not in fixed}

    def _read(self, response: Any, url: str, has_tools: bool) -> ApiResponse:
        """What is in a response. Raises `Unanswered`, and whatever its content makes of it."""
        if problem := bounded.unread(response):
            raise Unanswered(f"{url} sent {problem}")
        try:
            return self._parse(content_of(response), url, has_tools).without(self._secret)
        except Unanswered as error:
            error.response = error.response and error.response.without(self._secret)
            raise

    def _messages(self, prompt: Prompt) -> list[dict[str, Any]]:
        """The prompt as the user's message; how the answer begins as the assistant's, where this reader begins it."""
        asked_text, begun_text = prompt.turns if self._begins else (prompt.text, "")
        messages = [
            {"role": "user", "content": asked_text},
            *([{"role": "assistant", "content": begun_text}] if begun_text else []),
        ]
        return [message | {"content": plain_text(message["content"])} for message in messages]

    def _count(self, text: str, response: ApiResponse) -> ApiResponse:
        """Put a reply on the account; where the server counts no tokens, they are counted here."""
        prompt = self.count([text])[0]
        read = prompt if response.tokens_in is None else response.tokens_in
        sent = None if response.tokens_in is None else sent_prompt(text, prompt)
        written_count = response.tokens_out
        if written_count is None:
            written_count = sum(self.count([*response.texts, response.thinking]))
        cached = min(response.cached_tokens, read)
        self._account.add(Usage(read, written_count, cached, response.cache_write_tokens))
        if response.seconds is not None and not self.several:
            self._use.add_seconds(response.seconds)
        return replace(
            response,
            tokens_in=read,
            tokens_out=written_count,
            cached_tokens=cached,
            sent=sent,
            changes=self.changes,
        )

    @abstractmethod
    def _ask(self, client: Any, messages: list[dict[str, Any]], request: Generate, n: int, wait: Any) -> Any:
        """Ask for up to n outputs within `wait` (a client's timeout); the HTTP response.

        The last message is the user's, or a prefill.
        """

    @abstractmethod
    def _parse(self, response: Any, url: str, has_tools: bool) -> ApiResponse:
        """What is in a response's JSON; calls of tools, where the request `has_tools`, are a part of the output.

        Raises `Unanswered` where it holds no output.
        """
