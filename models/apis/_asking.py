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
from longdoc.messages import note
from longdoc.registry import name_of
from models.accounting import Account, Usage
from models.api_models import known_window
from models.apis._schemas import SCHEMA, WHITE_SPACE, WORDS, SchemaRefusals, longest_output
from models.apis.accounting import context_window
from models.apis.accounting.context_window import Overlong
from models.apis.accounting.server_tokens import CountError
from models.apis.accounting.shared_prefixes import PrefixOrder, SharedPrefixes
from models.apis.accounting.slot_order import SlotOrder
from models.apis.accounting.token_estimate import sent_prompt
from models.apis.sending import bounded
from models.apis.sending.accepted_fields import STATUSES, Learned, Replacements
from models.apis.sending.adaptive_limit import Meter
from models.apis.sending.addresses import quick_timeout
from models.apis.sending.failures import Refusals, connection_error
from models.apis.sending.request_stream import ServerStream, ServerUse
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
from models.thinking import OFF
from models.truncation import TooLong, truncate

TOKENS_PER_TIMEOUT = 4096  # that a reply of `timeout` seconds holds; longer ones may take longer in proportion


class Asking(Refusals, ABC):
    """Asks the servers for what requests want; the fields of its readers are those of `Endpoint`."""

    takes_more = True
    structured: bool | None
    replacements: ClassVar[Replacements] = {}  # fields of a body that some servers refuse, and what to send instead

    _meter: Meter | None
    _prefixes: SharedPrefixes
    _use: ServerUse
    _lock: Any  # of the clients
    _said_that_it_thinks: list[bool]  # not empty once the note was printed; a list since the class is frozen
    _accepted_fields: Learned
    schema_refusals: SchemaRefusals

    @property
    @abstractmethod
    def _account(self) -> Account:
        """The account that counts tokens and cost."""

    def stream(
        self, requests: Sequence[Request], on_reply: OnReply = lambda place, reply: None
    ) -> Iterator[tuple[int, Reply]]:
        """(index of the request, reply) in order of arrival; `on_reply` is called with each before, in any thread.

        Raises `UserError` after the requests in flight have been answered.
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
            limit = self.prompt_limit(request.max_new_tokens)
            if limit is not None and limit < 1:
                return Reply.failed(self.no_room_message(request.max_new_tokens))
            return self._reply_to_prompt(self._cut(Prompt.of(request.prompt), limit, request), request, [], 0)
        except TooLong as error:
            return Reply.failed(str(error), error.fixed)
        except CountError as error:
            return Reply.failed(str(error))

    def _cut(self, prompt: Prompt, limit: int | None, request: Generate) -> Prompt:
        """The prompt cut to a limit, and further if it and the chat template have more tokens together than apart."""
        cut = truncate(prompt, limit, self.count, self.token_ends, self.edges)
        while limit is not None and (over := self._excess_tokens(cut, request)) > 0:
            limit = min(limit, self.count([cut.text])[0]) - over
            cut = truncate(cut, limit, self.count, self.token_ends, self.edges)
        return cut

    def _excess_tokens(self, prompt: Prompt, request: Generate) -> int:
        """The tokens by which prompt, template and output exceed the window, if the server counts them; else 0."""
        if self.context_window is None or self._server_tokens is None:
            return 0
        room = self.context_window - self._longest(request)
        if self.count([prompt.text])[0] + self.template_tokens + context_window.SPARE <= room:
            return 0
        return (self._conversation_tokens(self._messages(prompt)) or 0) - room

    def _longest(self, request: Generate) -> int:
        """The longest output in tokens: answer and thinking."""
        return request.max_new_tokens + self.thinking_tokens

    def _reply_to_prompt(self, prompt: Prompt, request: Generate, responses: list[ApiResponse], retries: int) -> Reply:
        """The reply to a prompt, which is cut again if the server says that it exceeds the window. Raises `TooLong`."""
        try:
            while (missing_outputs := request.n - sum(len(response.texts) for response in responses)) > 0:
                responses.append(self._call(prompt, request, missing_outputs))
        except Unanswered as error:
            if (limit := self._shorter_limit(error, prompt, request, retries)) is not None:
                return self._reply_to_prompt(self._cut(prompt, limit, request), request, responses, retries + 1)
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
        if self.thinking == OFF and (reply.thinking or reply.reasoning_tokens):
            self._say_that_it_thinks()
        return reply

    def _known_window(self) -> int | None:
        """The model's context window, if longdoc knows it; else None."""
        return known_window(self.model)

    def _say_that_it_thinks(self) -> None:
        """Print once that the model thinks in spite of thinking=off."""
        with self._lock:
            if not self._said_that_it_thinks:
                self._said_that_it_thinks.append(True)
                problem = f"{self.model} thinks although thinking=off was sent, so its answers may be cut short"
                note(f"{problem}: give thinking=2048, or its server's own switch in extra=")

    def _shorter_limit(self, error: Unanswered, prompt: Prompt, request: Generate, retries: int) -> int | None:
        """The prompt limit for another try; None if the server's error gives no reason to try again."""
        if retries == context_window.MAX_RETRIES or not isinstance(error, Overlong):
            return None
        count = self.count([prompt.text])[0]
        if self._may_have_other_window(error):
            self._look_again()
            if (limit := self.prompt_limit(request.max_new_tokens)) is not None and limit < count:
                return limit
        if self.context_window is None or error.over is None:
            return None
        return error.over.limit(count, self.context_window, self._longest(request), retries)

    def _may_have_other_window(self, error: Overlong) -> bool:
        """Whether a server's window may have changed since it was asked."""
        return bool(self._broken_hosts) or (
            error.over is not None and error.over.window not in (None, self.served.window)
        )

    def _call(self, prompt: Prompt, request: Generate, n: int) -> ApiResponse:
        """The response to one API call; every billed response is counted."""
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
        """The response to one call of a server. Raises `Unanswered`, and `UserError` for a mistake in the set-up."""
        library, choices = self._library(), request.choices
        request = request if self._sends_schema(request) else replace(request, choices=())
        seconds = self.timeout * max(1.0, self._longest(request) * n / TOKENS_PER_TIMEOUT)
        wait = quick_timeout(library, seconds) if self.several else seconds
        try:
            response = self._read(self._ask(server.client, messages, request, n, wait), server.url)
            return replace(response, choices=SCHEMA if request.choices else WORDS if choices else None)
        except (Unanswered, UserError):
            raise
        except library.APIStatusError as error:
            failure = self._by_status(error, server.url)
            if isinstance(failure, Overlong):
                raise failure from None
            if not self._accepted_fields.changes(error, self._changeable, server.url):
                if not request.choices or error.status_code not in STATUSES or isinstance(failure, UserError):
                    raise failure from None
                return self._without_schema(failure, server, messages, request, n)
        except library.APIConnectionError as error:
            if isinstance(error.__cause__, Awaited):
                raise error.__cause__ from None
            raise connection_error(error, server.url, seconds, library) from None
        except Exception as error:  # a server may send anything: what reading it raises is the request's own
            raise Unanswered(f"{server.url} sent no readable reply: {error or type(error).__name__}") from None
        return self._call_at(server, messages, request, n)  # ends, as what was learned is not sent again

    def _sends_schema(self, request: Generate) -> bool:
        """Whether to send a JSON schema of the request's choices. With `structured=None` not if the server refused one.

        Nor, with None, if the output has no room for the JSON object around a choice.
        """
        if self.structured is not None or not request.choices:
            return bool(self.structured and request.choices)
        tokens = self.count([longest_output(request.choices)])[0] + WHITE_SPACE
        return tokens <= request.max_new_tokens and not self.schema_refusals.is_refused

    def _without_schema(
        self, error: Exception, server: Server, messages: list[dict[str, Any]], request: Generate, n: int
    ) -> ApiResponse:
        """The response to a refused request, sent again without its schema; if it comes, the schema was the problem.

        Raises `UserError` in that case if `structured` is True.
        """
        response = self._call_at(server, messages, replace(request, choices=()), n)
        problem = self._cleaned(str(error))
        if self.structured:
            raise UserError(f"{server.url} does not accept a JSON schema ({problem}): leave structured=true out")
        self.schema_refusals.add(server.url, problem)
        return replace(response, choices=WORDS)

    @property
    def _changeable(self) -> Replacements:
        """The fields of a body that may be replaced: not those of `extra`, nor a `temperature` that the user set."""
        options = self.extra.get("options")
        fixed = {*self.extra, *(options if isinstance(options, Mapping) else ())}
        if self.temperature != type(self).temperature:
            fixed.add("temperature")
        return {name: replacement for name, replacement in self.replacements.items() if name not in fixed}

    def _read(self, response: Any, url: str) -> ApiResponse:
        """The parsed response. Raises `Unanswered`, and whatever parsing it raises."""
        if problem := bounded.unread(response):
            raise Unanswered(f"{url} sent {problem}")
        try:
            return self._parse(content_of(response), url).without(self._secret)
        except Unanswered as error:
            error.response = error.response and error.response.without(self._secret)
            raise

    def _messages(self, prompt: Prompt) -> list[dict[str, Any]]:
        """The messages to send: the prompt as the user's, and a given start of the answer as the assistant's."""
        user_text, answer_start = prompt.turns if self._begins else (prompt.text, "")
        messages = [
            {"role": "user", "content": user_text},
            *([{"role": "assistant", "content": answer_start}] if answer_start else []),
        ]
        return [message | {"content": plain_text(message["content"])} for message in messages]

    def _count(self, text: str, response: ApiResponse) -> ApiResponse:
        """Add a response to the account, and return it with token counts; those that it lacks are counted here."""
        counted = self.count([text])[0]
        prompt_tokens = counted if response.tokens_in is None else response.tokens_in
        sent = None if response.tokens_in is None else sent_prompt(text, counted)
        output_tokens = response.tokens_out
        if output_tokens is None:
            output_tokens = sum(self.count([*response.texts, response.thinking]))
        cached = min(response.cached_tokens, prompt_tokens)
        self._account.add(Usage(prompt_tokens, output_tokens, cached, response.cache_write_tokens))
        if response.seconds is not None and not self.several:
            self._use.add_seconds(response.seconds)
        return replace(
            response,
            tokens_in=prompt_tokens,
            tokens_out=output_tokens,
            cached_tokens=cached,
            sent=sent,
            changes=self.changes,
        )

    @abstractmethod
    def _ask(self, client: Any, messages: list[dict[str, Any]], request: Generate, n: int, wait: Any) -> Any:
        """The HTTP response to a request for up to n outputs; `wait` is the client's timeout.

        The last message is the user's, or a prefill.
        """

    @abstractmethod
    def _parse(self, response: Any, url: str) -> ApiResponse:
        """The outputs and counts in a response's JSON. Raises `Unanswered` if it has no output."""
