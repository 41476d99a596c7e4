"""The reader for a server's address: the server is asked for its kind and its models.

llama.cpp and vLLM, and whatever else lists models under `/v1/models`, are asked by OpenAI's API; Ollama, which answers
`GET /api/version`, by its own.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from longdoc.allowed_code import file_of, marked_with_file
from longdoc.allowed_hosts import check_host, host_of
from longdoc.errors import UserError, listed
from models.apis.sending.addresses import check_url
from models.apis.sending.bounded import get
from models.apis.sending.response import name as name_in

SECONDS = 5.0  # for each answer
KEY = "OPENAI_API_KEY"
MAX_SHOWN = 8  # models in a message
API_PATHS = ("/v1", "/api")
LATEST = ":latest"  # what Ollama adds to a name without a tag


def reader_at(server: str, name: str | None = None) -> dict[str, Any]:
    """The reader, as a mapping, for the model at an address such as `localhost:8080`; `name` chooses between several.

    Raises `UserError` where no model server answers, where it serves several models or none of that name, and where it
    wants a key that is not there.
    """
    root = _root(server)
    if (file := file_of(server)) is not None:
        check_host(host_of(root), f"{file} (server)")
    is_ollama = isinstance(_json_at(f"{root}/api/version", None).get("version"), str)
    key = None if is_ollama or file is not None else os.environ.get(KEY, "").strip() or None
    models = _ollama_models(root) if is_ollama else _listed_models(root, key)
    model = _chosen_model(models, name, root)
    if not is_ollama and len(models) == 1 and _is_llama_cpp(root):
        model = PurePosixPath(model.replace("\\", "/")).name  # which serves its only model under any name
    url = root if is_ollama else f"{root}/v1"
    url = url if file is None else marked_with_file(url, file)
    return {"name": "ollama" if is_ollama else "openai", "model": model, "base_url": url}


def _root(server: str) -> str:
    """The address without an API's path (/v1, /api), with `http://` if it has no scheme."""
    address = str(server).strip()
    address = address if "://" in address else f"http://{address}"
    check_url(address, "server")
    address = address.rstrip("/")
    for api_path in API_PATHS:
        address = address.removesuffix(api_path).rstrip("/")
    return address


def _ollama_models(root: str) -> list[str]:
    return _names(_json_at(f"{root}/api/tags", None).get("models"), "name")


def _listed_models(root: str, key: str | None) -> list[str]:
    record = _json_at(f"{root}/v1/models", key)
    if not isinstance(record.get("data"), list):
        raise UserError(
            f"{root} is not a model server: it lists no models under /v1/models. Give the address of llama.cpp, vLLM "
            "or Ollama, as in --server http://localhost:8080"
        )
    return _names(record["data"], "id")


def _is_llama_cpp(root: str) -> bool:
    return "default_generation_settings" in _json_at(f"{root}/props", None)


def _names(records: Any, field: str) -> list[str]:
    """The names in a field of a server's records; none where they are not a list."""
    rows = records if isinstance(records, list) else []
    names = (name_in(row.get(field)) for row in rows if isinstance(row, Mapping))
    return [name for name in names if name]


def _chosen_model(models: Sequence[str], name: str | None, root: str) -> str:
    """The only model, or the one of a name. Raises `UserError`."""
    if name is not None:
        if model := next(
            (model for model in models if name in (model, model.removesuffix(LATEST), _file(model))), None
        ):
            return model
        raise UserError(f"{root} serves no model {name!r}. It serves: {_model_list(models)}")
    if not models:
        raise UserError(f"{root} serves no model: load one, and type the same command again")
    if len(models) > 1:
        raise UserError(f"{root} serves {len(models)} models: {_model_list(models)}. Add --model NAME to choose one")
    return models[0]


def _file(model: str) -> str:
    return PurePosixPath(model).name


def _model_list(models: Sequence[str]) -> str:
    return listed(models, MAX_SHOWN) or "none"


def _json_at(url: str, key: str | None) -> Mapping[str, Any]:
    """The JSON object at an address; {} for anything else. Raises `UserError` if nothing answers or a key is needed."""
    try:
        response = get(url, SECONDS, {} if key is None else {"Authorization": f"Bearer {key}"})
    except Exception as error:  # whatever a server sends, or does not
        host = urlsplit(url).netloc
        raise UserError(
            f"No server answers at {host} ({error or type(error).__name__}). Start it, or give the address of one that "
            "runs, as in --server http://localhost:8080"
        ) from None
    if response.status_code in (401, 403) and url.endswith("/v1/models"):
        problem = "rejects the key in" if key else "needs a key: put it into"
        raise UserError(f"{urlsplit(url).netloc} {problem} {KEY} (export {KEY}=KEY)")
    try:
        record = response.json() if response.status_code == 200 else None
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, Mapping) else {}
