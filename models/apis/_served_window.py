"""The context window that a server says it has: vLLM and SGLang, llama.cpp, Ollama. Providers do not say it.

- `max_model_len` in `GET …/v1/models` of vLLM and SGLang (`models.apis._health`);
- `default_generation_settings.n_ctx` in `GET /props` of llama.cpp, of each of its slots;
- `POST /api/show` of Ollama, which answers `GET /api/version`: `num_ctx` among the model's parameters, else the length
  that the model was trained with, of which Ollama reads less unless it is told to.
"""

import re
from collections.abc import Mapping
from typing import Any

from models.apis._bounded import get, post
from models.apis._health_check import SECONDS, root_of
from models.apis._response import whole_number

_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,12})\s*$", re.MULTILINE)


def served_window(url: str, model: str, seconds: float = SECONDS) -> int | None:
    """The window of llama.cpp's server or Ollama's at a `base_url`, in tokens; None for others."""
    seconds = min(SECONDS, seconds)
    settings = _record(lambda: get(f"{root_of(url)}/props", seconds)).get("default_generation_settings")
    if isinstance(settings, Mapping) and (window := whole_number(settings.get("n_ctx"))):
        return window
    if not _record(lambda: get(f"{root_of(url)}/api/version", seconds)):
        return None
    return _of_ollama(_record(lambda: post(f"{root_of(url)}/api/show", {"model": model}, seconds)))


def _of_ollama(record: Mapping[str, Any]) -> int | None:
    parameters = record.get("parameters")
    if isinstance(parameters, str) and (given := _NUM_CTX.search(parameters)):
        return int(given[1]) or None
    return trained_window(record)


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
