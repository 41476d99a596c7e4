"""The fields that readers behind an HTTP API share, and what a run records of them. `_asking` sends requests."""

import threading
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib.metadata import version
from typing import Any, ClassVar, Literal

from longdoc.errors import UserError
from longdoc.registry import ADDED_LATER
from models.accounting import Account, Usage
from models.apis._asking import Asking
from models.apis._schemas import SchemaRefusals
from models.apis._thinking import with_extra
from models.apis.accounting.served_model import ServedModel
from models.apis.accounting.server_tokens import ServerTokens
from models.apis.accounting.shared_prefixes import SharedPrefixes
from models.apis.sending import keys
from models.apis.sending.accepted_fields import Learned
from models.apis.sending.adaptive_limit import AdaptiveLimit, Meter
from models.apis.sending.addresses import check_urls
from models.apis.sending.request_stream import ServerUse
from models.apis.sending.servers import Servers
from models.requests import Generate
from models.thinking import OFF, checked, tokens_of
from models.word_reader import check_limit


@dataclass(frozen=True, eq=False)
class Endpoint(Asking):
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
    thinking: int | Literal["off"] | None = field(default=None, metadata=ADDED_LATER)
    effort: str | None = field(default=None, metadata=ADDED_LATER)
    structured: bool | None = None

    not_in_folders: ClassVar[frozenset[str]] = frozenset({"model"})  # they must not send texts and keys anywhere
    supports = frozenset({Generate})
    is_chat = True
    stops_when_empty = True

    _made: list[Servers] = field(default_factory=list, init=False, repr=False)  # once there are clients
    _meter: Meter | None = field(default=None, init=False, repr=False)  # where the limit is adaptive
    _said_that_it_thinks: list[bool] = field(default_factory=list, init=False, repr=False)  # not empty once it was said
    _accepted_fields: Learned = field(default_factory=Learned, init=False, repr=False)
    schema_refusals: SchemaRefusals = field(default_factory=SchemaRefusals, init=False, repr=False)
    _lock: Any = field(default_factory=threading.RLock, init=False, repr=False)
    _served_models: list[ServedModel] = field(default_factory=list, init=False, repr=False)  # once servers were asked
    _counters: list[ServerTokens | None] = field(default_factory=list, init=False, repr=False)
    _remembered: list[bool] = field(default_factory=list, init=False, repr=False)
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
            raise UserError("effort is empty: give one of the API's words, effort=low, or leave it out")
        if self.effort is not None and self.thinking == OFF:
            raise UserError(f"effort={self.effort} asks for thinking, and thinking=off for none: drop one of them")
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
        """The body's fields for `thinking` and `effort`. Raises `UserError` for what the model cannot do."""

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
        """A line on the servers' cache hits and load since the run began; "" if they do not report them."""
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
        """The recorded values, besides the fields, that decide where prompts are cut."""
        self._remember()
        record: dict[str, Any] = {"template_tokens": self.template_tokens} if self.context_window else {}
        if self.context_window != self.window:
            record["window"] = self.context_window
        return record | ({"counts_tokens": True} if self._server_tokens is not None else {})
