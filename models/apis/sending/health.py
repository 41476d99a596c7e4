"""What servers report: their health, models, context windows and versions.

`GET /health` beside `/v1`, of vLLM, SGLang and llama.cpp; `GET …/v1/models`, where vLLM and SGLang add `max_model_len`;
`GET /version` of vLLM, `GET /server_info` of SGLang (`/get_server_info` before 0.5) and `GET /api/version` of Ollama.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longdoc.errors import UserError
from longdoc.interrupts import Dropped
from longdoc.messages import note
from models.apis.accounting.served_model import served_model
from models.apis.sending.addresses import SECONDS, problem_of, root_of
from models.apis.sending.bounded import get
from models.apis.sending.concurrent import replies_in_order_of_arrival
from models.apis.sending.keys import without_key
from models.apis.sending.response import name as name_in
from models.apis.sending.servers import Server, Servers, no_server_error

VERSIONS = ("version", "server_info", "get_server_info", "api/version")
MAX_SHOWN = 3  # models in a message


@dataclass(frozen=True)
class About:
    """A server's report; `problem` is why there is none. `window`: the model's context window in tokens."""

    problem: str = ""
    models: tuple[str, ...] = ()
    window: int | None = None
    version: str | None = None

    def without(self, key: str) -> "About":
        """The same without the key, should the server send it back."""
        models = tuple(without_key(model, key) for model in self.models)
        return replace(self, models=models, version=self.version and without_key(self.version, key))


def check_first(servers: Servers, model: str, secret: str) -> None:
    """Check servers before the first request: set aside those that do not answer, print how the others differ.

    `secret` is the key, which one of them might send back. Raises `UserError` where none answers.
    """
    if servers.checked:
        servers.begin()
        return
    servers.checked = True
    facts = [fact.without(secret) for fact in _facts(servers.all, model, servers.timeout)]
    for server, fact in zip(servers.all, facts, strict=True):
        server.version, server.problem = fact.version, fact.problem
    if all(fact.problem for fact in facts):
        servers.checked = False
        raise UserError(no_server_error(servers.all))
    for line in _remarks(servers.all, facts, model):
        note(line)
    for server, fact in zip(servers.all, facts, strict=True):
        if fact.problem:
            servers.set_aside(server, fact.problem)


def _about(server: Server, model: str, seconds: float) -> About:
    """A server's report, with the window of a model.

    One that knows no such paths, as those of providers, says nothing.
    """
    if problem := problem_of(server.url, seconds):
        return About(problem)
    models = models_of(server.client, min(SECONDS, seconds))
    served = served_model(server.url, model, models, seconds)
    names = tuple(sorted(record["id"] for record in models))
    return About("", names, served.window if served else None, _version(server.url, seconds))


def _facts(servers: Sequence[Server], model: str, seconds: float) -> list[About]:
    """The reports of servers, which are asked at once. Raises `interrupts.Dropped`."""
    facts = dict(replies_in_order_of_arrival(lambda server: _about(server, model, seconds), servers, len(servers)))
    if len(facts) < len(servers):  # an interrupt came before
        raise Dropped(())
    return [facts[index] for index in range(len(servers))]


def _remarks(servers: Sequence[Server], facts: Sequence[About], model: str) -> Iterator[str]:
    """Notes to print before requests are sent: servers that do not answer, and how the others differ."""
    urls = [server.url for server in servers]
    for url, fact in zip(urls, facts, strict=True):
        if fact.problem:
            yield f"{url} does not answer and is checked again later: {fact.problem}"
        elif fact.models and model not in fact.models:
            yield f"{url} does not list the model {model}; it has {', '.join(fact.models[:MAX_SHOWN])}"
    running = {url: fact for url, fact in zip(urls, facts, strict=True) if not fact.problem}
    for description, property_of in (
        ("models", lambda fact: ", ".join(fact.models)),
        (f"the context window of {model}", lambda fact: fact.window),
        ("version", lambda fact: fact.version),
    ):
        values = {url: value for url, fact in running.items() if (value := property_of(fact))}
        if len(set(values.values())) > 1:
            lines = "; ".join(f"{url} {value}" for url, value in values.items())
            yield f"the servers differ in {description}: {lines}"


def models_of(client: Any, seconds: float) -> list[dict[str, Any]]:
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
            answer = response.json() if response.status_code == 200 else None
        except Exception:  # noqa: S112  # nosec B112  # whatever is no version
            continue
        if isinstance(answer, dict) and (version := name_in(answer.get("version"))):
            return version
    return None
