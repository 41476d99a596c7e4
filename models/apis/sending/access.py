"""The addresses, keys and HTTP clients of a reader behind an API."""

import os
from collections.abc import Mapping
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar
from urllib.parse import urlsplit

from longdoc import interrupts
from longdoc.allowed_code import Guarded, file_of
from longdoc.optional import need
from longdoc.registry import name_of
from models.apis.accounting.token_budget import TokenBudget
from models.apis.sending import bounded, keys
from models.apis.sending.adaptive_limit import MAXIMUM, START, Meter
from models.apis.sending.addresses import quick_timeout
from models.apis.sending.servers import Server, Servers


class Access(Guarded, TokenBudget):
    """The addresses, the key and the clients of a reader; a wire says which library speaks it.

    - `library`: the distribution whose version a run records; `client_class` in it makes the clients.
    - `request_options`: what each request is sent with, beside its time.
    - `of_account`: what the client has from the environment, beside the key, and sends along.
    - `needs_key`: whether the provider answers nobody without one.
    """

    model: str
    base_url: str | tuple[str, ...] | None
    concurrency: int | None
    timeout: float
    max_retries: int
    key_variable: str | None

    library: ClassVar[str]
    client_class: ClassVar[str]
    default_url: ClassVar[str]
    url_variable: ClassVar[str]
    default_key_variable: ClassVar[str]
    request_options: ClassVar[Mapping[str, Any]] = {}
    of_account: ClassVar[tuple[str, ...]] = ()
    needs_key: ClassVar[bool] = True

    _meter: Meter | None  # of the adaptive limit
    _made: list[Servers]  # once there are clients
    _broken_hosts: set[str]  # hosts to which a connection failed
    _lock: Any

    @classmethod
    def check_in_file(cls, label: str, given_fields: Mapping[Any, Any]) -> None:
        """Refuse servers that the user has not allowed, and keys that are not for them, where a file names these."""
        variable, base = given_fields.get("key_variable"), given_fields.get("base_url")
        urls = [] if base is None else [base] if isinstance(base, str) else list(base)
        keys.check_variable_in_file(label, variable)
        if urls or variable != cls.default_key_variable:
            usual_url = cls._from_environment() or cls.default_url
            keys.check_key_host(label, variable, urls or [usual_url])
        keys.check_servers(label, cls.default_key_variable, variable, urls)
        keys.check_headers(cls.library, urls)

    @property
    def urls(self) -> tuple[str, ...]:
        """Where requests go: the field, else the client's environment variable, else the provider."""
        return tuple(map(str, self._addresses))

    @property
    def _addresses(self) -> tuple[str, ...]:
        """The same; an address that was read from a file is marked with that file."""
        if self.several:
            return tuple(self.base_url or ())
        return (self.base_url or self._from_environment() or self.default_url,)  # type: ignore[return-value]

    @classmethod
    def _from_environment(cls) -> str:
        """The address in the client's environment variable; empty where there is none."""
        return os.environ.get(cls.url_variable, "")

    @property
    def several(self) -> bool:
        """Whether `base_url` is a list: addresses of equal servers, perhaps only one."""
        return not (self.base_url is None or isinstance(self.base_url, str))

    @property
    def server_concurrency(self) -> int:
        """The most requests under way at once at each server: `concurrency`, else as many as it has slots for.

        Where it has a single slot one more waits there. Of a single server that says nothing of slots, as many as it
        answers well are under way, up to that.
        """
        if self.concurrency is not None:
            return self.concurrency
        if self.slots is not None:
            return min(max(self.slots, 2), MAXIMUM)
        return START if self.several else MAXIMUM

    @property
    def slots(self) -> int | None:
        """How many requests a server answers at once, as far as it is known without asking."""
        return None

    @property
    def sends_to(self) -> tuple[str, ...]:  # type: ignore[override]
        """The hosts that get the texts, with their ports where they have any."""
        return tuple(dict.fromkeys(urlsplit(url).netloc for url in self.urls))

    @property
    def sent_key(self) -> str | None:  # type: ignore[override]
        """The variable whose key is sent along; None where there is none."""
        return None if self._without_key or not self._secret else self._variable

    @property
    def _variable(self) -> str:
        return self.key_variable or self.default_key_variable

    @property
    def _without_key(self) -> bool:
        """Whether no key is sent: a file names a server that is not the provider's, and no variable for its key."""
        return self.key_variable is None and any(
            file_of(url) is not None and not keys.belongs_to_provider(self._variable, url) for url in self._addresses
        )

    @property
    def _secret(self) -> str:
        """The key, which is removed from servers' messages; "" if there is none."""
        return os.environ.get(self._variable, "").strip()

    def _key(self) -> str:
        """The key out of the environment. A server that the user named may need none."""
        if self._without_key:
            return keys.NO_KEY
        is_needed = bool(self.key_variable) or (self.needs_key and self.urls == (self.default_url,))
        return keys.key_in(self._variable, name_of(self), is_needed)

    def _cleaned(self, text: str) -> str:
        """A server's message on one line, without the key."""
        return keys.one_line(text, self._secret)

    def _library(self) -> ModuleType:
        """The library of the clients. Raises `UserError` where it is not installed."""
        return need(self.library, self.library, f"the reader {name_of(self)}")

    def use(self, http: Any) -> None:
        """Send requests over this `httpx.Client`, without key and retries, instead of the official client's own."""
        client_class = getattr(self._library(), self.client_class)
        client = client_class(api_key=keys.NO_KEY, base_url=self.urls[0], max_retries=0, http_client=http)
        self._made[:] = [Servers([Server(self.urls[0], client)], self.server_concurrency, self.timeout)]

    def _servers(self) -> Servers:
        with self._lock:
            if not self._made:
                library, key = self._library(), self._key()
                # of several, a request is made again at another one
                limits = (quick_timeout(library, self.timeout), 0) if self.several else (self.timeout, self.max_retries)
                with interrupts.hold_interrupts():  # clients that are half made say so when they are deleted
                    servers = [Server(url, self._client(library, key, url, *limits)) for url in self._addresses]
                self._made.append(Servers(servers, self.server_concurrency, self.timeout))
            return self._made[0]

    def _client(self, library: ModuleType, key: str, url: str, timeout: Any, retries: int) -> Any:
        """The official client for an address; if a file names the server, without the user's account fields."""
        client = self._connect(library, key, str(url), timeout, retries)
        if file_of(url) is not None and not keys.belongs_to_provider(self._variable, url):
            for name in self.of_account:
                setattr(client, name, None)
        return client

    def _connect(self, library: ModuleType, key: str, url: str, timeout: Any, retries: int) -> Any:
        """The official client for an address."""
        make, http = getattr(library, self.client_class), bounded.client(library, self._meter, self._broken_hosts)
        return make(api_key=key, base_url=url, timeout=timeout, max_retries=retries, http_client=http)

    @cached_property
    def _response_class(self) -> Any:
        return bounded.module_of(self._library().DefaultHttpxClient).Response

    def _post(self, client: Any, path: str, body: Mapping[str, Any], wait: Any) -> Any:
        """The HTTP response to a body, by the client's method for any path.

        Its methods for the API's own paths match each field with its type and make objects of the reply, which takes as
        much time as all the rest; as servers send what they like, replies are read with care anyway.
        """
        options = {"timeout": wait, **self.request_options}
        return client.post(path, cast_to=self._response_class, body=body, options=options)
