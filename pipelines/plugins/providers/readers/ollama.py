"""Ollama's own API: `POST {base_url}/api/chat`, one user message per prompt, after a system message where one is given.

Ollama reads no more of a prompt than `num_ctx` tokens, 4,096 unless it is told otherwise, and requests to its
OpenAI-compatible endpoint cannot change that. Here every request says how many it needs, and that nothing shall be cut
(`truncate`, `shift`, Ollama 0.12.6 and later): a prompt that does not fit is then an error of its request. Source:
docs.ollama.com/api/chat and `api/types.go`, as of November 2026.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, ClassVar
from urllib.parse import urlsplit

from longdoc.errors import UserError
from models.api_models import OLLAMA_PORT
from models.apis._endpoint import Endpoint
from models.apis._schemas import label_schema
from models.apis.accounting import context_window
from models.apis.accounting.served_model import ServedModel, trained_window
from models.apis.sending import finish_reasons
from models.apis.sending.accepted_fields import Replacements
from models.apis.sending.addresses import is_own
from models.apis.sending.bounded import http_library
from models.apis.sending.response import ApiResponse, Unanswered, error_in, field_of, name, not_json, whole_number
from models.requests import Generate
from models.thinking import OFF

MINIMUM = 4096  # tokens: Ollama's own `num_ctx`
OTHER_APIS = ("/v1", "/api")  # wrong ends of an address: of another API, and one that is added here
LOCAL_HOSTS = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # nosec B104  # by what a server listens at
PROBE_SECONDS = 10.0


@dataclass(frozen=True, eq=False)
class Ollama(Endpoint):
    """A reader behind Ollama's own API; it generates.

    The fields are those of `openai`, with OLLAMA_HOST (else `http://127.0.0.1:11434`) in place of OPENAI_BASE_URL; no
    `/v1` ends an address. No key is needed; OLLAMA_API_KEY is sent where it is set (ollama.com takes one).

    - `window` is sent as `num_ctx`. None: `num_ctx` is what the longest prompt so far and its output need, the next
      power of two from 4,096 up (each change loads the model anew), at most the length that `POST /api/show` names.
    - `thinking`: a number sends `think: true`, "off" `think: false`; `effort` is sent as `think` ("low", "high").
    - `structured`: the schema goes into `format`.
    - `extra`: further fields of the body; those of its `options` go before the ones here.

    n > 1 asks n times. Thread-safe.
    """

    temperature: float | None = 0.0

    library: ClassVar[str] = http_library()
    client_class: ClassVar[str] = "Client"
    default_url: ClassVar[str] = f"http://127.0.0.1:{OLLAMA_PORT}"
    url_variable: ClassVar[str] = "OLLAMA_HOST"
    default_key_variable: ClassVar[str] = "OLLAMA_API_KEY"
    needs_key: ClassVar[bool] = False
    replacements: ClassVar[Replacements] = dict.fromkeys(("num_ctx", "truncate", "shift", "temperature", "stop"))

    _largest: list[int] = field(default_factory=list, init=False, repr=False)  # the largest `num_ctx` so far
    _trained: list[int | None] = field(default_factory=list, init=False, repr=False)  # the window, once asked for

    def __post_init__(self) -> None:
        """Raise `UserError` for an address of another API, and for wrong `options` in `extra`."""
        super().__post_init__()
        for url in self.urls:
            address = url.rstrip("/")
            if end := next((end for end in OTHER_APIS if address.endswith(end)), ""):
                hint = f"base_url={address.removesuffix(end)}"
                raise UserError(f"ollama speaks Ollama's own API, whose address does not end with {end}: {hint}")
        if not isinstance(self.extra.get("options", {}), Mapping):
            raise UserError('options in extra are a mapping: extra={"options": {"seed": 3}}')

    @classmethod
    def _from_environment(cls) -> str:
        """OLLAMA_HOST as an address: it may be a host alone, or the address at which a server listens for all."""
        address = os.environ.get(cls.url_variable, "").strip().strip("'\"")
        if not address or "://" in address:
            return address
        parts = urlsplit(f"//{address}")
        try:
            port = parts.port or OLLAMA_PORT
        except ValueError:
            return f"http://{address}"  # the check of addresses refuses it
        host = parts.hostname or ""
        host = LOCAL_HOSTS.get(host, host)
        return f"http://{f'[{host}]' if ':' in host else host}:{port}{parts.path}"

    def _library(self) -> ModuleType:
        from models.apis.sending import http_api

        return http_api

    def _look(self) -> ServedModel | None:
        """The model with its trained window: `num_ctx` decides how much of it is used, not the server's setting."""
        if not all(map(is_own, self.urls)):
            return None
        length = self._trained_length(self._servers().all[0].client)
        return None if length is None else ServedModel(self.model, length)

    def _ask(self, client: Any, messages: list[dict[str, Any]], request: Generate, n: int, wait: Any) -> Any:
        system = [{"role": "system", "content": self.system}] if self.system else []
        options: dict[str, Any] = {"num_ctx": self._num_ctx(client, messages, request)}
        options["num_predict"] = self._longest(request)
        if self.temperature is not None:
            options["temperature"] = self.temperature
        if stop := [text for text in request.stop if text and not self.thinking_tokens]:  # they would end the thinking
            options["stop"] = stop
        body: dict[str, Any] = {"model": self.model, "messages": [*system, *messages], "stream": False}
        body |= self._accepted_fields.applied({"truncate": False, "shift": False})
        if request.choices:
            body["format"] = label_schema(request.choices)
        body |= self._body
        body["options"] = self._accepted_fields.applied(options) | dict(self.extra.get("options", {}))
        return self._post(client, "/api/chat", body, wait)

    def _num_ctx(self, client: Any, messages: list[dict[str, Any]], request: Generate) -> int:
        """The window for a request in tokens: `window`, or what this request and those before it need."""
        if self.window is not None:
            return self.window
        tokens: float = sum(self.count([message["content"] for message in messages]))
        if self._subwords is None:
            tokens /= context_window.ESTIMATED
        needed = math.ceil(tokens) + self.template_tokens + self._longest(request)
        with self._lock:
            largest: int = max([MINIMUM, 2 ** (needed - 1).bit_length(), *self._largest])
            self._largest[:] = [largest]
            length = self._trained_length(client)
        return largest if length is None else min(largest, length)

    def _trained_length(self, client: Any) -> int | None:
        """The model's trained window as the server says it, asked once; None where it does not say it."""
        with self._lock:
            if not self._trained:
                self._trained.append(_served_length(client, self.model, min(PROBE_SECONDS, self.timeout)))
            return self._trained[0]

    def _known_window(self) -> int | None:
        return self._trained[0] if self._trained else None

    def _thinking_fields(self) -> dict[str, Any]:
        if self.effort is not None:
            return {"think": self.effort}
        return {} if self.thinking is None else {"think": self.thinking != OFF}

    def _parse(self, response: Any, url: str) -> ApiResponse:
        message = response.get("message") if isinstance(response, dict) else None
        if not isinstance(message, dict) or error_in(response):
            raise not_json(response, url)
        word, content, thinking = response.get("done_reason"), message.get("content"), message.get("thinking")
        thinking = thinking.strip() if isinstance(thinking, str) else ""
        end = finish_reasons.end_of(word)
        reply = ApiResponse(
            (content if isinstance(content, str) else "",),
            end,
            whole_number(response.get("prompt_eval_count")),
            whole_number(response.get("eval_count")),
            thinking,
            ends=finish_reasons.unknown_words([word]),
            model=name(response.get("model")),
        )
        if message.get("tool_calls"):
            problem = finish_reasons.tool_call([field_of(call, "name") for call in _calls(message)])
        else:
            problem = finish_reasons.problem_of(word)
        if not problem and response.get("done") is False:
            problem = "the reply is not done, though it was asked for as a whole"
        if not problem and not (isinstance(content, str) or thinking) and end == finish_reasons.STOP:
            problem = "the reply holds no text"
        if problem:
            raise Unanswered(problem, reply)
        return reply


def _calls(message: Mapping[str, Any]) -> list[Any]:
    """The functions that a message calls, as the server names them."""
    calls = message.get("tool_calls")
    return [field_of(call, "function") for call in calls] if isinstance(calls, list) else []


def _served_length(client: Any, model: str, seconds: float) -> int | None:
    """The model's trained window as `POST /api/show` says it; None where it does not."""
    try:
        options = {"timeout": seconds, "max_retries": 0}
        record = client.post("/api/show", body={"model": model}, options=options).json()
    except Exception:  # whatever a server sends, or does not: the requests will say what is wrong
        return None
    return trained_window(record) if isinstance(record, dict) else None
