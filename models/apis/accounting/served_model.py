"""What a server says of the model that it serves: its window, its slots, how it counts tokens. Providers do not say it.

- `max_model_len` in `GET …/v1/models` of vLLM and SGLang;
- `GET /props` of llama.cpp: `default_generation_settings.n_ctx`, the window of each of its `total_slots`, the file of
  the model, and the text of the token that ends an answer;
- `POST /api/show` of Ollama, which answers `GET /api/version`: `num_ctx` among the model's parameters, else the length
  that the model was trained with. That is a bound alone: where no `num_ctx` is set Ollama reads 4,096 tokens, more
  with 24 GiB of a GPU's memory, or what it was started with (docs.ollama.com/context-length). What a loaded model reads
  is `context_length` in `GET /api/ps`.

The answers are kept under LONGDOC_CACHE, because they decide how prompts are cut, and so which run a command means. So
a finished run is found again while its server is off, and can be printed, and scored by other metrics.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from longdoc import caches
from longdoc.errors import UserError
from longdoc.files import write_whole
from models.apis.sending.addresses import SECONDS, root_of
from models.apis.sending.bounded import get, post
from models.apis.sending.response import name as name_in
from models.apis.sending.response import whole_number

Counting = Literal["", "llama.cpp", "vllm"]
_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,12})\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model as its server describes it; what the server does not say is empty or None.

    - `name`: the server's own name for it, a file (llama.cpp) or a folder (vLLM).
    - `window`: the context window in tokens. `is_bound`: the server reads less of a prompt unless it was told to.
    - `slots`: how many requests are answered at once.
    - `counting`: whose form of `POST /tokenize` the server has. `end`: the text of the token that ends an answer.
    """

    name: str = ""
    window: int | None = None
    is_bound: bool = False
    slots: int | None = None
    counting: Counting = ""
    end: str = ""


def served_model(
    url: str, model: str, listed: Iterable[Mapping[str, Any]] = (), seconds: float = SECONDS
) -> ServedModel | None:
    """The model at a `base_url`; None where the server says nothing of it. `listed` is what `GET …/v1/models` lists."""
    seconds = min(SECONDS, seconds)
    for record in listed:
        if record.get("id") == model and (window := whole_number(record.get("max_model_len"))):
            return ServedModel(name_in(record.get("root")) or model, window, counting="vllm")
    if (served := _llama_cpp_model(_record(lambda: get(f"{root_of(url)}/props", seconds)))) is not None:
        return served
    if not _record(lambda: get(f"{root_of(url)}/api/version", seconds)):
        return None
    loaded = _loaded_window(_record(lambda: get(f"{root_of(url)}/api/ps", seconds)), model)
    return loaded or _ollama_model(_record(lambda: post(f"{root_of(url)}/api/show", {"model": model}, seconds)), model)


def combined(served: Sequence[ServedModel]) -> ServedModel | None:
    """The common description of several servers: the smallest window and the fewest slots; None for no server."""
    if not served:
        return None
    windows, slots = (
        [model.window for model in served if model.window],
        [model.slots for model in served if model.slots],
    )
    first = served[0]
    return ServedModel(
        first.name,
        min(windows, default=None),
        any(model.is_bound for model in served),
        min(slots, default=None),
        first.counting,
        first.end,
    )


def trained_window(record: Mapping[str, Any]) -> int | None:
    """The length that a model was trained with, in Ollama's answer to `POST /api/show`; None where it is not there."""
    facts = record.get("model_info")
    if not isinstance(facts, Mapping):
        return None
    lengths = (whole_number(value) for name, value in facts.items() if str(name).endswith(".context_length"))
    return next(filter(None, lengths), None)


def _llama_cpp_model(props: Mapping[str, Any]) -> ServedModel | None:
    settings = props.get("default_generation_settings")
    if not isinstance(settings, Mapping) or not (window := whole_number(settings.get("n_ctx"))):
        return None
    file = PurePosixPath((name_in(props.get("model_path")) or "").replace("\\", "/")).name
    return ServedModel(
        file or name_in(props.get("model_alias")) or "",
        window,
        slots=whole_number(props.get("total_slots")) or None,
        counting="llama.cpp",
        end=name_in(props.get("eos_token")) or "",
    )


def _loaded_window(record: Mapping[str, Any], model: str) -> ServedModel | None:
    """The window of a model that Ollama has loaded."""
    models = record.get("models")
    for loaded in models if isinstance(models, list) else ():
        if not isinstance(loaded, Mapping) or model not in (loaded.get("name"), loaded.get("model")):
            continue
        if window := whole_number(loaded.get("context_length")):
            return ServedModel(model, window)
    return None


def _ollama_model(record: Mapping[str, Any], model: str) -> ServedModel | None:
    parameters = record.get("parameters")
    if isinstance(parameters, str) and (match := _NUM_CTX.search(parameters)):
        return ServedModel(model, int(match[1])) if int(match[1]) else None
    length = trained_window(record)
    return None if length is None else ServedModel(model, length, is_bound=True)


def _record(ask: Any) -> Mapping[str, Any]:
    """The JSON object that a server answers; empty for anything else."""
    try:
        response = ask()
        record = response.json() if response.status_code == 200 else None
    except Exception:  # whatever a server sends, or does not: requests will say what is wrong
        return {}
    return record if isinstance(record, Mapping) else {}


def remember(urls: Sequence[str], model: str, served: ServedModel, counts: bool, template: tuple[str, int]) -> None:
    """Store what servers said of a model, whether they count tokens, and the tokens of a chat template."""
    templates = dict(_remembered_record(urls, model).get("templates") or {})
    templates |= [template]
    fields = {name: getattr(served, name) for name in served.__slots__}
    record = {"served": fields, "counts": counts, "templates": templates}
    try:
        write_whole(caches.make(_folder()), _name(urls, model), json.dumps(record))
    except (OSError, UserError):  # nothing depends on it while the server runs
        return


def remembered_server(urls: Sequence[str], model: str) -> tuple[ServedModel, bool, Mapping[str, int]] | None:
    """What `remember` stored; None if there is nothing."""
    record = _remembered_record(urls, model)
    try:
        templates = {str(name): int(tokens) for name, tokens in record["templates"].items()}
        return ServedModel(**record["served"]), record["counts"] is True, templates
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _remembered_record(urls: Sequence[str], model: str) -> Mapping[str, Any]:
    try:
        record = json.loads((caches.own_folder(_folder()) / _name(urls, model)).read_text(encoding="utf-8"))
    except (OSError, ValueError, UserError):
        return {}
    return record if isinstance(record, Mapping) else {}


def _folder() -> Path:
    return caches.home() / "servers"


def _name(urls: Sequence[str], model: str) -> str:
    return f"{sha256(json.dumps([sorted(urls), model]).encode()).hexdigest()[:32]}.json"
