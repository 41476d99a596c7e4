"""Readers: requests in, replies out. One kind of reader per file; `models.get("google/flan-t5-base")`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from longdoc.construction import construct
from longdoc.errors import UserError, unknown
from longdoc.files import is_folder
from longdoc.optional import NotInstalled, check
from longdoc.registry import Registry
from longdoc.specs import parse_arguments
from models.api_models import OLLAMA_PORT, misnamed, nowhere, open_weights, suggestion
from models.prompts import Part, Prompt
from models.reader import Reader, StreamingReader
from models.requests import Classify, Compare, Fuse, Generate, Reply, Request, Score, TrainingExample
from models.truncation import TooLong, truncate

__all__ = [
    "Classify", "Compare", "Fuse", "Generate", "Part", "Prompt", "Reader", "Reply", "Request", "Score",
    "StreamingReader", "TooLong", "TrainingExample", "fields_alone", "get", "names", "registry", "truncate",
    "with_fields",
]  # fmt: skip


def _folder_or_hub_id(name: str) -> Mapping[str, Any]:
    from models.hub import NoSuchModel, file_kind
    from models.saved import saved_description

    path, extension, arguments = name.rpartition(".gguf")
    if extension and (not arguments or arguments.startswith(":")):
        from models.apis.sending.llama_server import served_reader

        return served_reader(path + extension, parse_arguments(arguments[1:]))
    base, comma, arguments = name.partition(",")
    if comma and not Path(name).exists():
        reader, fields = registry.parse(base)
        return {**fields, **parse_arguments(arguments), "name": reader}
    if (saved := saved_description(name)) is not None:
        return saved
    if name.startswith(("http://", "https://")):
        reader = "ollama" if name.rstrip("/").endswith(f":{OLLAMA_PORT}") else "openai"
        raise UserError(f"{name} is a server's address, not a model: give model='{reader}:MODEL,base_url={name}'")
    if not is_folder(name) and (hint := suggestion(name)) is not None:
        raise UserError(f"unknown reader {name!r}: {hint}")
    try:
        if not is_folder(name):
            check(("torch", "transformers"), "neural", f"the model {name}")  # before anything is downloaded
        return {"name": file_kind(name), "model": name}
    except (NoSuchModel, NotInstalled) as error:
        if "/" in name:
            raise
        if (hint := open_weights(name)) is not None:
            raise UserError(f"unknown reader {name!r}: {hint}") from error
        problem = str(unknown("reader", name, names()))
        problem = problem if problem.endswith("?") else nowhere(name)
        if not isinstance(error, NotInstalled):
            raise UserError(problem) from error
        raise UserError(f"{problem} As a hub model: {error}") from error


# The readers of the papers: SCROLLS fine-tunes BART and LED (section 5), ZeroSCROLLS asks the others with 8,192 tokens.
PRESETS = {
    "none": "no_reader",
    "bart-base": "seq2seq:model=facebook/bart-base",
    "led-base": "seq2seq:model=allenai/led-base-16384",
    **{
        name.rpartition("/")[2].lower(): f"seq2seq:model={name},max_input_tokens=8192"
        for name in (*(f"google/flan-t5-{size}" for size in ("small", "base", "large", "xl", "xxl")),
                     "google/flan-ul2", "bigscience/T0pp")
    },
}  # fmt: skip

registry: Registry[Reader] = Registry(
    __name__,
    "reader",
    contract=Reader,
    presets=PRESETS,
    folders=("neural", "apis", "classical", "baselines"),
    plural="readers",
    hidden=("no_reader",),
    otherwise=_folder_or_hub_id,
    example="model='extractive'",
)


def get(spec: Any, /, **fields: Any) -> Reader:
    """The reader for a name, `NAME:ARGS`, a model folder (trained here or not), a hub id, a mapping or an object.

    A function that takes the text of a prompt and returns that of the answer is a reader, too.
    `fields` that a name's preset sets as well win over it (`get("flan-t5-base", max_input_tokens=512)`).

    Raises `UserError`: no such reader or parameter, or weights that are neither in the folder nor in the hub cache.
    """
    if callable(spec) and not isinstance(spec, (Reader, type)):
        from models.function_reader import FunctionReader

        return cast(Reader, construct(FunctionReader, "function given as a model", {"function": spec, **fields}))
    if isinstance(spec, str) and (hint := misnamed(spec)) is not None:
        raise UserError(f"unknown reader {spec!r}: {hint}")
    return registry.get(spec, **fields)


def fields_alone(spec: Any) -> Mapping[str, Any] | None:
    """The fields in a spec without a reader, which are for the task's own reader ("device=cuda"); else None."""
    if isinstance(spec, str) and re.match(r"[a-z_]+=", spec):
        return parse_arguments(spec)
    return spec if isinstance(spec, Mapping) and "name" not in spec and None not in spec else None


def with_fields(spec: Any, fields: Mapping[str, Any]) -> Any:
    """A reader's spec with further fields. Raises `UserError` if the reader is an object."""
    if not fields:
        return spec
    if isinstance(spec, str):
        return {"name": spec, **fields}
    if isinstance(spec, Mapping):
        return {**spec, **fields}
    raise UserError(f"a reader given as an object takes no further fields, got {', '.join(fields)}")


def names() -> list[str]:
    """The names of all readers."""
    return registry.names()
