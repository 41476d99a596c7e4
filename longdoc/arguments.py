"""Errors about arguments: unknown names, with the right one, and whole numbers that are too large."""

import functools
import inspect
import os
import typing
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from longdoc.errors import UserError, unknown

P = ParamSpec("P")
R = TypeVar("R")

# names in other libraries: LangChain, LlamaIndex, transformers, OpenAI's API, lm-evaluation-harness
SYNONYMS = {
    "top_k": "k", "topk": "k", "n_results": "k", "num_results": "k", "similarity_top_k": "k",
    "metric": "metrics", "scorer": "metrics", "metrics": "metric",
    "llm": "model", "reader": "model", "lm": "model", "model_name": "model",
    "dataset": "data", "rows": "data", "data_path": "data", "file": "data",
    "max_tokens": "max_new_tokens", "max_gen_toks": "max_new_tokens",
    "num_samples": "limit", "max_examples": "limit", "n": "limit",
    "splitter": "chunker", "text_splitter": "chunker", "chunking": "chunker",
    "output_dir": "out", "output": "out", "out_dir": "out", "output_path": "out", "random_state": "seed",
    "prompt_template": "prompt", "template": "prompt",
}  # fmt: skip
# arguments of earlier versions, and sizes of chunks: the argument that replaces each, and what to type
INSTEAD = {
    "select": ("budget", 'now budget="300 words"'),
    "fill": ("budget", "the last passage is always cut: leave it out"),
    "device": ("model", 'now model="MODEL,device=cuda"'),
    "dtype": ("model", 'now model="MODEL,dtype=bf16"'),
    "deterministic": ("model", 'now model="MODEL,deterministic=true"'),
    "max_input_tokens": ("model", 'now model="MODEL,max_input_tokens=2000"'),
    "revision": ("data_revision", 'now model="MODEL,revision=REV"; the data\'s is data_revision="REV"'),
    **dict.fromkeys(("model_options", "model_option"), ("model", 'now model="MODEL,options={trust_remote_code:true}"')),
    **dict.fromkeys(("prices_from", "prices"), ("model", 'now model="openai:MODEL,prices=prices.yaml"')),
    **dict.fromkeys(
        ("chunk_size", "max_chunk_size", "chunk_length", "chunk_tokens"),
        ("chunker", "it is the chunker's size: chunker='tokens:size={value}'"),
    ),
}
_CLOSE = 0.75  # difflib's ratio above which a name is a typing error of another


def instead_of(name: str, known_names: Iterable[str], value: Any) -> str:
    """What to type in place of `name=value`; empty unless `INSTEAD` has a replacement among `known_names`."""
    argument, text = INSTEAD.get(name.lower().replace("-", "_"), ("", ""))
    return text.replace("{value}", str(value)) if argument in known_names else ""


def unknown_argument(name: str, known_names: Iterable[str]) -> UserError:
    """The error for an argument not among `known_names`, with its replacement, synonym or nearest name."""
    names = sorted(known_names)
    if text := instead_of(name, names, 200):
        return UserError(f"unknown argument {name!r}; {text}")
    synonym = SYNONYMS.get(name.lower().replace("-", "_"))
    nearest = [synonym] if synonym in names else get_close_matches(name, names, n=1, cutoff=_CLOSE)
    if nearest:
        return UserError(f"unknown argument {name!r}; did you mean {nearest[0]}?")
    return unknown("argument", name, names)


def argument_names(function: Callable[..., Any]) -> list[str]:
    """The names of a function's arguments, including those of `**options: Unpack[…]`."""
    names: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD:
            names.append(parameter.name)
        else:
            unpack_arguments = typing.get_args(parameter.annotation)
            names += unpack_arguments[0].__annotations__ if unpack_arguments else ()
    return names


def several(value: Any, name: str) -> list[Any]:
    """An argument's value or values as a list; empty for None. Raises `UserError` for an empty list."""
    if value is None:
        return []
    values: list[Any] = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if not values:
        raise UserError(f"{name}=[] has no value: give at least one, or leave {name} out")
    return values


def folder_of(value: Any) -> Any:
    """The folder of a result, or the folders of a list of results; anything else as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(folder_of, value)) if type(value) in (list, tuple) else value
    return Path(value) if isinstance(value, os.PathLike) and not isinstance(value, Path) else value


def checks_names(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function: an unknown argument raises `UserError` in place of Python's `TypeError`.

    The function also takes results in place of their folders (`folder_of`), and a list in place of several arguments.
    """
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        raise TypeError(f"{function!r} takes any name, and says itself which are unknown")
    takes_many = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    names = {parameter.name for parameter in parameters if parameter.kind is not parameter.POSITIONAL_ONLY}

    @functools.wraps(function)
    def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
        for name in keywords:
            if name not in names:
                raise unknown_argument(name, names)
        values: Any = arguments
        if takes_many:
            values = [item for value in values for item in (value if isinstance(value, (list, tuple)) else [value])]
        named_values: Any = {name: folder_of(value) for name, value in keywords.items()}
        return function(*map(folder_of, values), **named_values)

    return checked


# Many libraries store sizes, counts and seeds in 32 bits: a larger one is a typing error, and overflows there or makes
# them allocate too much memory.
LARGEST_WHOLE = 2**32 - 1


def check_whole(label: str, value: object) -> None:
    """Raise `UserError` for a whole number, or one in a list of them, that is larger than `LARGEST_WHOLE` or below its
    negative; anything else passes. `label` says what the number is ("chunker tokens: size").
    """
    for number in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(number, int) and abs(number) > LARGEST_WHOLE:
            raise UserError(f"{label} is a whole number that is too large; give one of at most {LARGEST_WHOLE:,}")
