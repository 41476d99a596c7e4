"""What readers with a network have in common: fields that are refused before anything is loaded, and their record."""

from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError
from models import hub

FIELD_OF = {"dtype": "dtype", "torch_dtype": "dtype", "device_map": "device", "revision": "revision"}
NEVER = frozenset({"trust_remote_code", "use_safetensors", "local_files_only", "output_loading_info", "config"})


def check(reader: Any, what: str = "request", spreads: bool = False) -> None:
    """Raise `UserError` for batches that cannot be, and options of `from_pretrained` that are fields or fixed here.

    `spreads`: the reader takes `device_map`, which spreads one network over several devices.
    """
    if reader.batch_tokens is not None and reader.batch_tokens < 1:
        raise UserError(f"batch_tokens must be at least 1, got {reader.batch_tokens}")
    if reader.deterministic and reader.batch_tokens is not None:
        raise UserError(f"deterministic=True reads one {what} at a time; drop batch_tokens")
    for option in reader.options:
        if option == "device_map" and spreads:
            continue
        if option in FIELD_OF:
            raise UserError(f"options: {option} is a parameter of its own, {FIELD_OF[option]}=…")
        if option in NEVER:
            raise UserError(f"options: {option} is fixed here (safetensors only, no code of others); drop it")
    if "device_map" in reader.options and reader.device is not None:
        raise UserError(f"options: device_map places the network, so device={reader.device!r} cannot hold: drop one")


def spread_over(options: Mapping[str, Any]) -> str | None:
    """How the network is spread over devices, as a record tells it; None where it is on one."""
    return f"device_map={options['device_map']}" if "device_map" in options else None


def identity(model: str, facts: Mapping[str, Any], task: str) -> dict[str, Any]:
    """What a run records of a network: the facts, a local folder's fingerprint of weights, versions of the libraries.

    Raises `UserError` where there are no weights.
    """
    import tokenizers
    import torch
    import transformers

    path = hub.weights(model, facts["revision"], task)
    local = {} if facts["revision"] else {"weights": hub.fingerprint(path)}
    versions = {library.__name__: library.__version__ for library in (torch, transformers, tokenizers)}
    return {**facts, **local, "versions": versions}
