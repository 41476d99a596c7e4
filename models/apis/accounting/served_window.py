"""The context window that a server says it has: vLLM and SGLang, llama.cpp, Ollama. Providers do not say it.

- `max_model_len` in `GET …/v1/models` of vLLM and SGLang (`models.apis.sending.health`);
- `default_generation_settings.n_ctx` in `GET /props` of llama.cpp, of each of its slots;
- `POST /api/show` of Ollama, which answers `GET /api/version`: `num_ctx` among the model's parameters, else the length
  that the model was trained with. That is a bound alone: where no `num_ctx` is set Ollama reads 4,096 tokens, more
  with 24 GiB of a GPU's memory, or what it was started with (docs.ollama.com/context-length).
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from models.apis.sending.bounded import get, post
from models.apis.sending.health_check import SECONDS, root_of
from models.apis.sending.response import whole_number

_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,12})\s*$", re.MULTILINE)


class ServedWindow(NamedTuple):
    """A window in tokens; `is_bound` where the server reads less of a prompt unless it was told to read as much."""

    tokens: int
    is_bound: bool = False


def served_window(url: str, model: str, seconds: float = SECONDS) -> ServedWindow | None:
    """The window of llama.cpp's server or Ollama's at a `base_url`; None for others."""
    seconds = min(SECONDS, seconds)
    settings = _record(lambda: get(f"{root_of(url)}/props", seconds)).get("default_generation_settings")
    if isinstance(settings, Mapping) and (window := whole_number(settings.get("n_ctx"))):
        return ServedWindow(window)
    if not _record(lambda: get(f"{root_of(url)}/api/version", seconds)):
        return None
    return _ollama_served_window(_record(lambda: post(f"{root_of(url)}/api/show", {"model": model}, seconds)))


def _ollama_served_window(record: Mapping[str, Any]) -> ServedWindow | None:
    parameters = record.get("parameters")
    if isinstance(parameters, str) and (match := _NUM_CTX.search(parameters)):
        return ServedWindow(int(match[1])) if int(match[1]) else None
    length = trained_window(record)
    return None if length is None else ServedWindow(length, is_bound=True)


def trained_window(record: Mapping[str, Any]) -> int | None:
    """The length that a model was trained with, in Ollama's answer to `POST /api/show`; None where it is not there."""
    facts = record.get("model_info")
    if not isinstance(facts, Mapping):
        return None
    lengths = (whole_number(value) for name, value in facts.items() if str(name).endswith(".context_length"))
    return next(filter(None, lengths), None)


def _record(ask: Any) -> Mapping[str, Any]:
    """The JSON object that a server answers; empty for anything else."""
    try:
        response = ask()
        record = response.json() if response.status_code == 200 else None
    except Exception:  # whatever a server sends, or does not: requests will say what is wrong
        return {}
    return record if isinstance(record, Mapping) else {}
