"""Names of arguments that a function does not have, answered with the name that it has."""

import functools
import inspect
import os
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from longdoc.errors import UserError, unknown

P = ParamSpec("P")
R = TypeVar("R")

# what other libraries call it: LangChain, LlamaIndex, transformers, OpenAI's API, lm-evaluation-harness
SYNONYMS = {
    "top_k": "k", "topk": "k", "n_results": "k", "num_results": "k", "similarity_top_k": "k",
    "metric": "metrics", "scorer": "metrics", "metrics": "metric",
    "llm": "model", "reader": "model", "lm": "model", "model_name": "model",
    "dataset": "data", "rows": "data", "data_path": "data", "file": "data",
    "max_tokens": "max_new_tokens", "max_gen_toks": "max_new_tokens", "max_length": "max_input_tokens",
    "num_samples": "limit", "max_examples": "limit", "n": "limit",
    "splitter": "chunker", "text_splitter": "chunker", "chunking": "chunker",
    "output_dir": "out", "output": "out", "out_dir": "out", "output_path": "out", "random_state": "seed",
    "prompt_template": "prompt", "template": "prompt", "model_kwargs": "model_options", "model_args": "model_options",
}  # fmt: skip
_CLOSE = 0.75  # of difflib's ratio: a slip of the fingers has a single reading


def unknown_argument(name: str, known_names: Iterable[str]) -> UserError:
    """The error for an argument that is none of `known_names`: the same thing's name here, else the nearest."""
    names = sorted(known_names)
    meant_text = SYNONYMS.get(name.lower().replace("-", "_"))
    nearest = [meant_text] if meant_text in names else get_close_matches(name, names, n=1, cutoff=_CLOSE)
    if nearest:
        return UserError(f"unknown argument {name!r}; did you mean {nearest[0]}?")
    return unknown("argument", name, names)


def folder_of(value: Any) -> Any:
    """A path in place of a result that has a folder, alone or in a list; anything else as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(folder_of, value)) if type(value) in (list, tuple) else value
    return Path(value) if isinstance(value, os.PathLike) and not isinstance(value, Path) else value


def checks_names(function: Callable[P, R]) -> Callable[P, R]:
    """The function with `UserError` in place of Python's `TypeError` for an argument that it does not have.

    It takes a result where it takes a result's folder (`folder_of`), and a list where it takes any number of them.
    """
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        raise TypeError(f"{function!r} takes any name, and says itself which are unknown")
    takes_many = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    names = {parameter.name for parameter in parameters if parameter.kind is not parameter.POSITIONAL_ONLY}

    @functools.wraps(function)
    def checked(*arguments: P.args, **named_value: P.kwargs) -> R:
        for name in named_value:
            if name not in names:
                raise unknown_argument(name, names)
        given: Any = arguments
        if takes_many:
            given = [one for value in given for one in (value if isinstance(value, (list, tuple)) else [value])]
        named: Any = {name: folder_of(value) for name, value in named_value.items()}
        return function(*map(folder_of, given), **named)

    return checked
