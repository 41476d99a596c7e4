"""What a reader's servers report of the model before the first request: window, slots, how they count tokens.

A single server and equal ones are asked alike. Providers, which are reached by https without a port, are not. A server
whose connection broke may be another one when it is back, so it is asked again.
"""

from abc import abstractmethod
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import note
from models.apis.accounting.served_model import ServedModel, combined, remember, remembered_server, served_model
from models.apis.accounting.server_tokens import CountError, Nonsense, ServerTokens, wire_of
from models.apis.sending import bounded
from models.apis.sending.access import Access
from models.apis.sending.addresses import is_own, problem_of, root_of
from models.apis.sending.health import check_first, models_of
from models.apis.sending.response import content_of

PROBE_SECONDS = 3.0  # for each answer to what a server is asked of itself
COUNT_SECONDS = 60.0  # for a count
FRAMING = ("chat_template_kwargs",)  # fields of a body that change what a chat template makes of the messages


class Serving(Access):
    """Asks the servers once, and again after a connection broke; counts tokens with them."""

    _served_models: list[ServedModel]  # what the servers said at first, and each time that it changed
    _counters: list[ServerTokens | None]  # by what they count now
    _remembered: list[bool]  # not empty where what they said is remembered from an earlier run
    _broken_hosts: set[str]  # hosts to which a connection failed since then
    _looking: Any  # held while they are asked; not the lock of the clients, which the threads that ask need

    @property
    @abstractmethod
    def _body(self) -> dict[str, Any]:
        """The fields that every request's body holds."""

    @property
    def served(self) -> ServedModel:
        """The servers' description of the model; they are asked once."""
        with self._looking:
            if not self._served_models:
                self._begin_with(self._look() or self._remembered_model() or ServedModel())
            return self._served_models[-1]

    @property
    def served_window(self) -> int | None:
        """The window that the servers say they have; None where they read less of a prompt unless they are told to."""
        return None if self.served.is_bound else self.served.window

    @property
    def changes(self) -> tuple[str, ...]:
        """How the served model differs from what was served first, for the record of a run."""
        return _differences(self._served_models[0], self._served_models[-1]) if self._served_models else ()

    @property
    def slots(self) -> int | None:
        """How many requests a server answers at once, as far as it is known without asking."""
        return self._served_models[-1].slots if self._served_models else None

    def framed_tokens(self, text: str) -> int | None:
        """The tokens that the server reads of a prompt, chat template included; None where it does not count them."""
        return self._conversation_tokens([{"role": "user", "content": text}])

    def _conversation_tokens(self, messages: list[dict[str, Any]]) -> int | None:
        if (tokens := self._server_tokens) is None:
            return None
        first = [{"role": "system", "content": self.system}] if self.system else []
        return tokens.conversation([*first, *messages], self._framing)

    @property
    def _framing(self) -> Mapping[str, Any]:
        """The fields of a request's body that go into its chat template."""
        return {name: self._body[name] for name in FRAMING if name in self._body}

    def use(self, http: Any) -> None:
        """Ask over an `httpx.Client`; nobody is asked what it serves."""
        super().use(http)
        self._served_models[:] = [ServedModel()]

    @property
    def _server_tokens(self) -> ServerTokens | None:
        if self.tokenizer is not None:
            return None
        with self._looking:
            served = self.served
            if not self._counters:
                self._counters.append(self._counter(served))
            return self._counters[0]

    @property
    def template_tokens(self) -> int:
        """Tokens reserved in the window for the chat template and the system message."""
        if self._is_remembered and (memory := remembered_server(self.urls, self.model)) and self._template in memory[2]:
            return memory[2][self._template]
        return super().template_tokens

    @property
    def _template(self) -> str:
        """A key of everything besides the prompt that goes into the chat template."""
        return repr((self.system, self.tokenizer, sorted(self._framing.items())))

    def _remembered_model(self) -> ServedModel | None:
        """What the servers said in an earlier run, if none answers now; else None."""
        if not all(map(is_own, self.urls)) or (memory := remembered_server(self.urls, self.model)) is None:
            return None
        if not all(problem_of(url, PROBE_SECONDS) for url in self.urls):
            return None
        self._remembered.append(True)
        note(f"The server at {self.urls[0]} does not answer; what it said in an earlier run is used.")
        return memory[0]

    @property
    def _is_remembered(self) -> bool:
        return bool(self._remembered)

    def _remember(self) -> None:
        """Store what the servers said, for when they are off."""
        if self._served_models and self.served != ServedModel() and not self._is_remembered:
            counts, template = self._server_tokens is not None, (self._template, self.template_tokens)
            remember(self.urls, self.model, self.served, counts, template)

    def _counter(self, served: ServedModel) -> ServerTokens | None:
        wire = wire_of(served, self.model, self._count_answer)
        tokens = None if wire is None else ServerTokens(wire, self.urls[0])
        if self._is_remembered:
            memory = remembered_server(self.urls, self.model)
            return tokens if memory is not None and memory[1] else None
        if tokens is not None and (problem := tokens.problem()):
            note(f"{problem}; longdoc estimates them.")
            return None
        return tokens

    def _check_servers(self) -> None:
        """Check servers before the first request; print which do not answer and the window that prompts are cut to."""
        servers, served = self._servers(), self.served
        is_first = not servers.checked
        if self.several:
            check_first(servers, self.model, self._secret)
        servers.checked = True
        if is_first:
            for line in filter(None, (window_remark(served, self.window, self.model), self._frame_remark())):
                note(line)

    def _frame_remark(self) -> str:
        """The note for a base model, which the server prompts as a chat all the same; "" for other models."""
        if (tokens := self._server_tokens) is None or not (mark := tokens.foreign_mark()):
            return ""
        return (
            f"{self.served.name} has no chat template of its own; the server marks turns with {mark}, which the model "
            "does not know. The model's instruct or chat version has one."
        )

    def _look_again_if_broken(self) -> None:
        """Ask the servers again where a connection broke, unless another thread does."""
        if self._broken_hosts and self._looking.acquire(blocking=False):
            try:
                self._look_again()
            finally:
                self._looking.release()

    def _look_again(self) -> None:
        """Ask the servers again, and print what has changed."""
        with self._looking:
            if (now := self._look()) is None:  # it is not back
                return
            self._broken_hosts.clear()
            self._remembered.clear()
            before = self._served_models[-1] if self._served_models else now
            if now == before:
                return
            self._begin_with(now)
        if differences := " and ".join(_differences(before, now)):
            is_shorter = (now.window or 0) < (before.window or 0)
            cut = "; longer prompts are shortened to fit" if is_shorter else ""
            note(f"The server at {self.urls[0]} came back with {differences}{cut}.")

    def _begin_with(self, served: ServedModel) -> None:
        self._served_models.append(served)
        self._counters.clear()
        if served.slots and self.concurrency is None:
            if self._meter is not None:
                self._meter.bound(served.slots)
            for servers in self._made:
                servers.server_concurrency = self.server_concurrency

    def _look(self) -> ServedModel | None:
        """The servers' description of the model now; None if none gives one."""
        if not all(map(is_own, self.urls)):
            return None
        try:
            servers, seconds = self._servers().all, min(PROBE_SECONDS, self.timeout)
        except UserError:  # no client or no key: raised again when a run begins, and counts go without
            return None
        with ThreadPoolExecutor(len(servers)) as threads:
            answers = threads.map(
                lambda server: served_model(server.url, self.model, models_of(server.client, seconds), seconds), servers
            )
            return combined([served for served in answers if served is not None])

    def _count_answer(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON of a server's answer to a request that no model answers. Raises `CountError`, `Nonsense`."""
        library, problem = self._library(), ""
        for server in sorted(self._servers().all, key=lambda server: server.aside):
            try:
                wait = min(COUNT_SECONDS, self.timeout)
                response = self._post(server.client, f"{root_of(server.url)}{path}", body, wait)
                if bounded.unread(response):
                    raise Nonsense
                return content_of(response)
            except (library.APIStatusError, library.APIConnectionError) as error:
                problem = problem or f"{server.url}: {self._cleaned(str(error))}"
            except (ValueError, RecursionError):
                raise Nonsense from None
        raise CountError(
            f"The server that counts the tokens of prompts does not answer ({problem}). Start it, and type the same "
            "command again."
        )


def window_remark(served: ServedModel, window: int | None, model: str) -> str:
    """The note on a server's window before the first request; "" if prompts are cut as the user said."""
    if served.window is None or (window is not None and window <= served.window):
        return ""
    if served.is_bound:
        return (
            f"Ollama may read fewer than the {served.window:,} tokens of {model} and cut the rest unseen. "
            f"Give --model ollama:{model}, which tells Ollama how many to read."
        )
    if window is None:
        return f"The server's context window is {served.window:,} tokens; longer prompts are shortened to fit."
    return (
        f"window={window} is more than the server's context window of {served.window:,} tokens; longer prompts are "
        "shortened to fit the server's."
    )


def _differences(before: ServedModel, now: ServedModel) -> tuple[str, ...]:
    """The differences between two descriptions of what is served, as phrases."""
    lines = []
    if now.name != before.name:
        lines.append(f"another model, {now.name or 'unnamed'} (before: {before.name or 'unnamed'})")
    if now.window != before.window:
        lines.append(f"a context window of {_tokens(now.window)} (before: {_tokens(before.window)})")
    return tuple(lines)


def _tokens(window: int | None) -> str:
    return "unknown length" if window is None else f"{window:,} tokens"
