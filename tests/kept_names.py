"""The names and formats that others may rely on, as docs/compatibility.md says.

`python -m tests.kept_names` writes those of today, freely until the first release, then once for each minor version.
`tests/test_compatibility.py` looks for each of them.
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
from pipelines.plugins.builders import _folder as built_sets
from pipelines.plugins.training.shared import folder as trained
from pipelines.results import formats
from pipelines.tasks import names as task_names
from tests import documents

FILE = Path(__file__).parent / "kept_names.json"
Names = dict[str, dict[str, list[str]]]


def present() -> Names:
    """Kind → name → names below it: a command's options, a component's parameters, a record's fields …"""
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
    """The formats of each record that are read, the newest last."""
    return {
        "run.json": formats.READ,
        "ablation.json": formats.ABLATIONS_READ,
        "batch.json": range(request_files.CHECKED[0], request_files.FORMAT + 1),
        "training.json": range(trained.FORMAT, trained.FORMAT + 1),
        "manifest.json": range(built_sets.FORMAT, built_sets.FORMAT + 1),
    }


def missing(kept: Mapping[str, list[str]], now: Mapping[str, list[str]]) -> list[str]:
    """The kept names of a kind that are gone, and the names below the others that are."""
    gone = [name for name in kept if name not in now]
    return gone + [f"{name} {below}" for name in kept if name in now for below in kept[name] if below not in now[name]]


def text(names: Names) -> str:
    """The file's text: JSON with a line for each name."""
    kinds = []
    for kind, kept in names.items():
        lines = [f"  {json.dumps(name)}: {json.dumps(below)}" for name, below in kept.items()]
        kinds.append(f' "{kind}": {{\n' + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(kinds) + "\n}\n"


def _options(command: Any) -> list[str]:
    return sorted({name for one in command.params for name in (*one.opts, *one.secondary_opts) if name.startswith("-")})


def _components(registry: Any) -> dict[str, list[str]]:
    return {name: _parameters(registry, name) for name in registry.names()}


def _parameters(registry: Any, name: str) -> list[str]:
    base, _ = registry.parse(name)
    if base != name:  # a preset: its parameters are those of its component
        return []
    return [field.name for field in dataclasses.fields(registry.component(base)) if field.init]


def _arguments(function: Callable[..., Any]) -> list[str]:
    """The names that can be given: that of `**arguments` is none."""
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
    FILE.write_text(text(present()), encoding="utf-8")
    print(FILE)
