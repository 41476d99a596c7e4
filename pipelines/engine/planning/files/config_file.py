"""A file with the arguments of a run, YAML or JSON: `longdoc run --config run.yaml`, `run(**read_config("run.yaml"))`.

    task: narrativeqa
    retriever: {name: bm25, b: 0.5}
    k: 10
    model: google-t5/t5-base

Its keys are the arguments of `pipelines.run`. Paths in it are relative to the working folder, as on the command line.
"""

import types
import typing
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Unpack

from longdoc.arguments import instead_of
from longdoc.errors import UserError, unknown
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.files import settings_file
from pipelines.engine.planning.options import changed, command_line_options
from pipelines.engine.planning.run_options import RunOptions, types_of

EXAMPLE = "task: narrativeqa"
WORDS = {int: "a whole number", bool: "true or false", str: "text", Mapping: "a mapping", Sequence: "a list"}
MAX_SHOWN = 80  # characters of a value in a message


def read_config(path: str | Path, *, task: TaskSpec | None = None, **changes: Unpack[RunOptions]) -> dict[str, Any]:
    """The arguments of a run from a YAML or JSON file, with changes: `run(**read_config("run.yaml", k=5))`.

    Paths in the file are relative to the working folder. Raises `UserError` for a key that is not an argument of `run`
    or is given twice, a value of the wrong type, and where neither the file nor `task` names a task.
    """
    arguments = checked_arguments(settings_file.mapping(Path(path), EXAMPLE), run_types(), path)
    arguments = changed(arguments, changes | ({} if task is None else {"task": task}))
    if "task" not in arguments:
        raise UserError(f"{path} has no task: add a line such as {EXAMPLE}, or give task=")
    return arguments


@cache
def run_types() -> Mapping[str, Any]:
    """The type of each argument of `run`, by name."""
    return {"task": TaskSpec, **types_of(RunOptions)}


def checked_arguments(values: Mapping[str, Any], field_types: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """The values of the file at `path` that are not null. Raises `UserError` for unknown keys and wrong types.

    `field_types` has the type of each known key.
    """
    for name, value in values.items():
        if name not in field_types:
            instead = instead_of(name, field_types, value)
            problem = f"unknown key {name!r}; {instead}" if instead else unknown("key", name, field_types)
            raise UserError(f"{path}: {problem}")
        accepted_types = _accepted_types(field_types[name])
        if value is not None and not any(_fits(value, kind) for kind in accepted_types):
            problem = f"{name} must be {_wording(accepted_types)}, got {_shortened(value)}"
            raise UserError(f"{path}: {problem}{_remedy(name, value, accepted_types)}")
    return {name: value for name, value in values.items() if value is not None}


def _accepted_types(hint: Any) -> list[Any]:
    """The types of `hint` that a value in a file can have: components and paths are text or mappings there."""
    alternatives = typing.get_args(hint) if isinstance(hint, types.UnionType) or _is_union(hint) else (hint,)
    return [kind for kind in alternatives if _is_plain(kind)]


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) is typing.Union


def _is_plain(kind: Any) -> bool:
    """Whether a value of this type can stand in a file."""
    return kind is type(None) or typing.get_origin(kind) is typing.Literal or (typing.get_origin(kind) or kind) in WORDS


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value has this type."""
    origin, type_arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return value in type_arguments
    if origin is Mapping:
        return isinstance(value, dict) and all(isinstance(name, str) for name in value)
    if origin is Sequence:
        return isinstance(value, list) and all(isinstance(item, (str, dict)) for item in value)
    return isinstance(value, str) if kind is str else type(value) is kind  # a bool is an int, too


def _wording(accepted_types: Sequence[Any]) -> str:
    """The types in words: `a whole number, text or a list`."""
    words = list[str]()
    for kind in accepted_types:
        if typing.get_origin(kind) is typing.Literal:
            words += [f'"{value}"' for value in typing.get_args(kind)]
        elif kind is not type(None):
            words.append(WORDS[typing.get_origin(kind) or kind])
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _remedy(name: str, value: Any, accepted_types: Sequence[Any]) -> str:
    """The end of the message on a value of the wrong type: what to do instead, "" where that is not known."""
    options = command_line_options()
    if isinstance(value, list) and name == "task":
        return "; several tasks are for run_tasks"
    if isinstance(value, list) and name in options and options[name].axis_help:
        return "; several values are for longdoc ablate --config"
    if str in accepted_types and isinstance(value, (int, date)) and not isinstance(value, bool):
        return f': put it in quotes, "{value}"'
    return ""
