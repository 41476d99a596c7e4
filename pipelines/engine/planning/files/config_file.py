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

from longdoc.errors import UserError, unknown
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.files import settings_file
from pipelines.engine.planning.options import changed, command_line_options
from pipelines.engine.planning.run_arguments import RunArguments, RunChanges, types_of

EXAMPLE = "task: narrativeqa"
WORDS = {int: "a whole number", bool: "true or false", str: "text", Mapping: "a mapping", Sequence: "a list"}
MAX_SHOWN = 80  # characters of a value in a message


def read_config(path: str | Path, *, task: TaskSpec | None = None, **changes: Unpack[RunChanges]) -> RunArguments:
    """The arguments of a run from a YAML or JSON file, with changes: `run(**read_config("run.yaml", k=5))`.

    Paths in the file are relative to the working folder. Raises `UserError` for a key that is no argument of `run`, one
    that is given twice, a value of the wrong type, and where neither the file nor `task` names a task.
    """
    fields = checked_arguments(settings_file.mapping(Path(path), EXAMPLE), run_types(), path)
    fields = changed(fields, changes | ({} if task is None else {"task": task}))
    if "task" not in fields:
        raise UserError(f"{path} names no task: add a line, as in {EXAMPLE}, or give task=")
    return typing.cast(RunArguments, fields)


@cache
def run_types() -> Mapping[str, Any]:
    """The type of each argument of `run`."""
    return types_of(RunArguments)


def checked_arguments(values: Mapping[str, Any], known_fields: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """The values of a file, those that are null left out. Raises `UserError` for unknown keys and wrong types.

    `known_fields` are the keys with their types.
    """
    for name, value in values.items():
        if name not in known_fields:
            raise UserError(f"{path}: {unknown('key', name, known_fields)}")
        kinds_entries = _kinds_values(known_fields[name])
        if value is not None and not any(_fits(value, kind) for kind in kinds_entries):
            problem = f"{name} must be {_kinds_text(kinds_entries)}, got {_shown_text(value)}"
            raise UserError(f"{path}: {problem}{_cure_text(name, value, kinds_entries)}")
    return {name: value for name, value in values.items() if value is not None}


def _kinds_values(hint: Any) -> list[Any]:
    """The types that a value of a file may have: components and paths stand in it as text or mappings."""
    several_values = typing.get_args(hint) if isinstance(hint, types.UnionType) or _is_union(hint) else (hint,)
    return [kind for kind in several_values if _is_plain(kind)]


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) is typing.Union


def _is_plain(kind: Any) -> bool:
    return kind is type(None) or typing.get_origin(kind) is typing.Literal or (typing.get_origin(kind) or kind) in WORDS


def _fits(value: Any, kind: Any) -> bool:
    origin, type_arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return value in type_arguments
    if origin is Mapping:
        return isinstance(value, dict) and all(isinstance(name, str) for name in value)
    if origin is Sequence:
        return isinstance(value, list) and all(isinstance(item, (str, dict)) for item in value)
    return isinstance(value, str) if kind is str else type(value) is kind  # a bool is an int, too


def _kinds_text(kinds_entries: Sequence[Any]) -> str:
    words = list[str]()
    for kind in kinds_entries:
        if typing.get_origin(kind) is typing.Literal:
            words += [f'"{value}"' for value in typing.get_args(kind)]
        elif kind is not type(None):
            words.append(WORDS[typing.get_origin(kind) or kind])
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _shown_text(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _cure_text(name: str, value: Any, kinds_entries: Sequence[Any]) -> str:
    options = command_line_options()
    if isinstance(value, list) and name == "task":
        return "; several tasks are for run_tasks"
    if isinstance(value, list) and name in options and options[name].axis_help:
        return "; several values are for longdoc ablate --config"
    if str in kinds_entries and isinstance(value, (int, date)) and not isinstance(value, bool):
        return f': put it in quotes, "{value}"'
    return ""
