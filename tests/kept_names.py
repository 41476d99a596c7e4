"""The names and formats that others may rely on, as docs/compatibility.md says.

`python -m tests.kept_names` writes the current ones: at any time before the first release, then once for each minor
version. `tests/test_compatibility.py` checks that each of them still exists.
"""

import dataclasses
import inspect
import json
import tomllib
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pipelines
from longdoc.arguments import argument_names
from pipelines.cli.components import registries
from pipelines.plugins.batch import request_files
from pipelines.plugins.builders import _folder as built_set_folder
from pipelines.plugins.training.shared import folder as training_folder
from pipelines.results import formats
from pipelines.tasks import names as task_names
from tests import documents

FILE = Path(__file__).parent / "kept_names.json"
Names = dict[str, dict[str, list[str]]]


def current_names() -> Names:
    """Kind → name → names of its parts: a command's options, a component's parameters, a record's fields …"""
    functions = {name: getattr(pipelines, name) for name in pipelines.__all__}
    functions = {name: value for name, value in functions.items() if callable(value)}
    project = tomllib.loads((documents.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "commands": {name: _options(command) for name, command in documents.commands().items()},
        "tasks": {name: [] for name in task_names()},
        **{kind: _components(registry) for kind, registry in registries().items()},
        "functions": {name: _arguments(value) for name, value in functions.items()},
        "records": _records(functions),
        "extras": {name: [] for name in project["optional-dependencies"]},
        "formats": {name: [str(number) for number in numbers] for name, numbers in formats_read().items()},
    }


def formats_read() -> dict[str, range]:
    """The format numbers that can be read, by file; the newest is last."""
    return {
        "run.json": formats.READ,
        "ablation.json": formats.ABLATIONS_READ,
        "batch.json": range(request_files.CHECKED[0], request_files.FORMAT + 1),
        "training.json": range(training_folder.FORMAT, training_folder.FORMAT + 1),
        "manifest.json": range(built_set_folder.FORMAT, built_set_folder.FORMAT + 1),
    }


def missing(kept: Mapping[str, list[str]], now: Mapping[str, list[str]]) -> list[str]:
    """The kept names of a kind that no longer exist, and the missing parts of the others."""
    gone = [name for name in kept if name not in now]
    return gone + [f"{name} {below}" for name in kept if name in now for below in kept[name] if below not in now[name]]


def text(names: Names) -> str:
    """JSON with a line for each name, as `FILE` has it."""
    kinds = []
    for kind, kept in names.items():
        lines = [f"  {json.dumps(name)}: {json.dumps(below)}" for name, below in kept.items()]
        kinds.append(f' "{kind}": {{\n' + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(kinds) + "\n}\n"


def _options(command: Any) -> list[str]:
    return sorted(
        {
            name
            for parameter in command.params
            for name in (*parameter.opts, *parameter.secondary_opts)
            if name.startswith("-")
        }
    )


def _components(registry: Any) -> dict[str, list[str]]:
    return {name: _parameters(registry, name) for name in registry.names()}


def _parameters(registry: Any, name: str) -> list[str]:
    base, _ = registry.parse(name)
    if base != name:  # a preset: its parameters are those of its component
        return []
    return [field.name for field in dataclasses.fields(registry.component(base)) if field.init]


def _arguments(function: Callable[..., Any]) -> list[str]:
    """The names of a function's arguments, without that of `**arguments`."""
    return argument_names(function)


def _records(functions: Mapping[str, Any]) -> dict[str, list[str]]:
    records = {}
    for function in filter(inspect.isfunction, functions.values()):
        returned = types.SimpleNamespace(__annotations__={"return": function.__annotations__.get("return")})
        record = typing.get_type_hints(returned, globalns=inspect.unwrap(function).__globals__)["return"]
        if isinstance(record, type) and dataclasses.is_dataclass(record):
            names = [field.name for field in dataclasses.fields(record)]
            names += [name for name, _ in inspect.getmembers(record, lambda value: isinstance(value, property))]
            records[record.__name__] = [name for name in dict.fromkeys(names) if name[0] != "_"]
    return dict(sorted(records.items()))


if __name__ == "__main__":
    FILE.write_text(text(current_names()), encoding="utf-8")
    print(FILE)
