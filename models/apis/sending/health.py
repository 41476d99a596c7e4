"""What servers say of themselves: their health, the models that they have, their context windows and versions.

`GET /health` beside `/v1`, of vLLM, SGLang and llama.cpp; `GET …/v1/models`, where vLLM and SGLang add `max_model_len`;
`GET /version` of vLLM, `GET /server_info` of SGLang (`/get_server_info` before 0.5) and `GET /api/version` of Ollama.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from longdoc.errors import UserError
from longdoc.interrupts import Dropped
from longdoc.visible import note
from models.apis.accounting.served_model import served_model
from models.apis.sending.bounded import get
from models.apis.sending.concurrent import replies_in_order_of_arrival
from models.apis.sending.health_check import SECONDS, problem_of, root_of
from models.apis.sending.keys import without_key
from models.apis.sending.response import name as name_in
from models.apis.sending.response import whole_number
from models.apis.sending.servers import Server, Servers, no_server_error

VERSIONS = ("version", "server_info", "get_server_info", "api/version")
MAX_SHOWN = 3  # models in a message


@dataclass(frozen=True)
class About:
    """What a server says of itself; `problem` is why it says nothing. `windows` are in tokens, by model."""

    problem: str = ""
    models: tuple[str, ...] = ()
    windows: dict[str, int] = field(default_factory=dict)
    version: str | None = None

    def without(self, key: str) -> "About":
        """The same without the key, should the server send it back."""
        models = tuple(without_key(model, key) for model in self.models)
        return replace(self, models=models, version=self.version and without_key(self.version, key))


def check_first(servers: Servers, model: str, secret: str = "") -> None:  # nosec B107  # empty: no key is sent
    """Before the first requests: set aside the servers that are not there, and print how the others differ.

    `secret` is the key, should one of them say it.

    Raises `UserError` where none is there.
    """
    if servers.checked:
        servers.begin()
        return
    servers.checked = True
    facts = [value.without(secret) for value in server_facts(servers.all, model, servers.timeout)]
    for server, value in zip(servers.all, facts, strict=True):
        server.version, server.problem = value.version, value.problem
    if all(value.problem for value in facts):
        servers.checked = False
        raise UserError(no_server_error(servers.all))
    for line in remarks(servers.all, facts, model):
        note(line)
    for server, value in zip(servers.all, facts, strict=True):
        if value.problem:
            servers.set_aside(server, value.problem)


def is_own(url: str) -> bool:
    """Whether this is a server of somebody's own, not a provider's: those are reached by https without a port."""
    parts = urlsplit(url)
    return parts.scheme == "http" or parts.port is not None


def about(server: Server, model: str, seconds: float = SECONDS) -> About:
    """What a server says of itself, and of the window of a model.

    One that knows no such paths, as those of providers, says nothing.
    """
    if problem := problem_of(server.url, seconds):
        return About(problem)
    models = listed(server.client, min(SECONDS, seconds))
    lengths = {record["id"]: whole_number(record.get("max_model_len")) for record in models}
    windows = {model: length for model, length in lengths.items() if length is not None}
    if model not in windows and (served := served_model(server.url, model, (), seconds)) and served.window:
        windows[model] = served.window
    return About("", tuple(sorted(record["id"] for record in models)), windows, _version(server.url, seconds))


def server_facts(servers: Sequence[Server], model: str, seconds: float = SECONDS) -> list[About]:
    """What each server says of itself; all are asked at once. Raises `interrupts.Dropped`."""
    facts = dict(replies_in_order_of_arrival(lambda server: about(server, model, seconds), servers, len(servers)))
    if len(facts) < len(servers):  # an interrupt came before
        raise Dropped(())
    return [facts[number] for number in range(len(servers))]


def remarks(servers: Sequence[Server], facts: Sequence[About], model: str) -> Iterator[str]:
    """What to know before requests are sent: servers that are not there, and how the others differ."""
    names = [server.url for server in servers]
    for name, single_value in zip(names, facts, strict=True):
        if single_value.problem:
            yield f"{name} is not there, and checked again later: {single_value.problem}"
        elif single_value.models and model not in single_value.models:
            yield f"{name} lists no model {model}; it has {', '.join(single_value.models[:MAX_SHOWN])}"
    present_values = {name: value for name, value in zip(names, facts, strict=True) if not value.problem}
    for description, value in (
        ("models", lambda about: ", ".join(about.models)),
        (f"the context window of {model}", lambda about: about.windows.get(model)),
        ("version", lambda about: about.version),
    ):
        values = {
            name: known_value for name, single_value in present_values.items() if (known_value := value(single_value))
        }
        if len(set(values.values())) > 1:
            listed = "; ".join(f"{name} {known_value}" for name, known_value in values.items())
            yield f"the servers differ in {description}: {listed}"


def listed(client: Any, seconds: float) -> list[dict[str, Any]]:
    """The models that a server lists, each with its `id`; none where it lists none, or refuses to."""
    try:
        models = [model.model_dump() for model in client.with_options(timeout=seconds, max_retries=0).models.list()]
    except Exception:  # whatever is not a list of models; requests will say what is wrong
        return []
    return [model for model in models if isinstance(model.get("id"), str)]


def _version(url: str, seconds: float) -> str | None:
    for path in VERSIONS:
        try:
            response = get(f"{root_of(url)}/{path}", min(SECONDS, seconds))
            said_value = response.json() if response.status_code == 200 else None
        except Exception:  # noqa: S112  # nosec B112  # whatever is no version
            continue
        if isinstance(said_value, dict) and (version := name_in(said_value.get("version"))):
            return version
    return None
