"""How readers behind an HTTP API ask: requests in threads, prompts cut to the window, replies read and counted.

The official clients do the talking: they wait and ask again on 408, 409, 429 and 5xx, honour `Retry-After`, and hold
the connections. Here a refused key, a missing model and a temperature that the model does not take end the run;
everything else is the error of its own request. A prompt that the server finds too long for the `window` is cut again.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from longdoc.errors import UserError
from longdoc.registry import name_of
from longdoc.visible import note
from models.accounting.usage import Usage
from models.api_models import known_window
from models.apis._schemas import SCHEMA, WHITE_SPACE, WORDS, SchemaRefusals, longest_output
from models.apis.accounting import context_window
from models.apis.accounting.context_window import Overlong
from models.apis.accounting.sent_prompts import sent_prompt
from models.apis.accounting.server_tokens import CountError
from models.apis.accounting.server_use import ServerUse
from models.apis.accounting.shared_prefixes import PrefixOrder, SharedPrefixes
from models.apis.accounting.slot_order import SlotOrder
from models.apis.accounting.spending import Account
from models.apis.sending import bounded
from models.apis.sending.accepted_fields import STATUSES, Learned, Replacements
from models.apis.sending.addresses import quick_timeout
from models.apis.sending.failures import connection_error
from models.apis.sending.gate import Meter
from models.apis.sending.refusals import Refusals
from models.apis.sending.request_stream import ServerStream
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
from models.apis.sending.servers import Server
from models.prompts import Prompt
from models.reader import OnReply
from models.requests import Generate, Reply, Request
from models.thinking import OFF_VALUE
from models.tools import tools_text
from models.truncation import TooLong, truncate

TOKENS = 4096  # that a reply of `timeout` seconds holds; longer ones may take longer in proportion


class Asking(Refusals, ABC):
    """Asks the servers for what requests want; the fields of its readers are those of `Endpoint`."""

    takes_more = True
    structured: bool | None
    others: ClassVar[Replacements] = {}  # fields of a body that some servers refuse, and what to send instead

    _meter: Meter | None
    _prefixes: SharedPrefixes
    _use: ServerUse
    _lock: Any  # of the clients
    _thinks: list[bool]  # not empty once it thought that should not
    _accepted_fields: Learned
    schema_refusals: SchemaRefusals

    @property
    @abstractmethod
    def _account(self) -> Account:
        """What was spent."""

    def stream(
        self, requests: Sequence[Request], on_reply: OnReply = lambda place, reply: None
    ) -> Iterator[tuple[int, Reply]]:
        """(index of the request, its reply) as replies arrive; `on_reply` is called with each first, in any thread.

        Raises `UserError` once those under way are in.
        """
        if not requests:
            return iter(())
        stream = self.open(on_reply)
        stream.add(requests)
        return stream.rest()

    def open(self, on_reply: OnReply) -> ServerStream:
        """A stream to which requests can be added.

        Requests whose prompts begin alike follow each other: at each slot of a server that has slots (`slot_order`),
        at others the first alone until it is back (`shared_prefixes`).
        """
        self._check_servers()
        servers, meter = self._servers(), self._meter
        urls = [server.url for server in servers.all]
        order: PrefixOrder | SlotOrder
        if self.slots is not None:
            order, meter = self._prefixes.slot_order([], urls, self.slots, self.server_concurrency), None
        else:
            order = self._prefixes.order([], self.count, urls, self.server_concurrency)
        self._use.start(self.slots)
        name = f"{name_of(self)}:{self.model}"
        return ServerStream(name, self.reply_to, servers, order, self.in_flight, meter, self._use, on_reply)

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

    def _longest(self, request: Generate) -> int:
        """The most tokens of one output: the answer's and those of thinking."""
        return request.max_new_tokens + self.thinking_tokens

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
