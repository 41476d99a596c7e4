"""Commands that list the tasks and the components, whose summaries and parameters are read from the code."""

import dataclasses
import inspect
import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from longdoc.layout import module_name
from longdoc.registry import Registry
from pipelines.cli.options import Json
from pipelines.results.display import terminal


def tasks(as_json: Json = False) -> None:
    """List the tasks with their recipes.

    Example: longdoc tasks
    """
    from pipelines.tasks import all_tasks

    rows = {
        name: {"summary": task.summary, "split": task.split, "chunker": task.chunker, "retriever": task.retriever,
               "k": task.k, "strategy": task.strategy, "model": task.model, "metrics": list(task.metrics),
               "max_new_tokens": task.max_new_tokens, "floor": task.floor, "notes": task.notes}
        for name, task in sorted(all_tasks().items())
    }  # fmt: skip
    if as_json:
        print(json.dumps(rows, indent=2))
    elif terminal.plain():
        width = max(map(len, rows))
        for name, row in rows.items():
            print(f"{name:<{width}} {row['summary']}\n{'':<{width}} {_recipe(row)}")
            print(f"{'':<{width}} {', '.join(all_tasks()[name].metrics)}")
    else:
        from pipelines.cli import render

        terminal.draw(render.tasks(rows, _recipe))


def components(as_json: Json = False) -> None:
    """List the components with their parameters.

    Chunkers, retrievers, readers, encoders, strategies, metrics, builders, recipes.

    Example: longdoc components
    """
    kinds = catalogue()
    if as_json:
        print(json.dumps(kinds, indent=2))
    elif terminal.plain():
        for kind, rows in kinds.items():
            print(kind)
            for name, row in rows.items():
                fields = _fields(row)
                print(f"  {name:<24} {row['summary']}" + (f"\n  {'':<24} {fields}" if fields else ""))
    else:
        from pipelines.cli import render

        terminal.draw(render.components(kinds, _fields))


KINDS = {
    "chunkers": "chunkers",
    "retrievers": "retrievers",
    "readers": "models",
    "encoders": "models.encoders",
    "strategies": "pipelines.strategies",
    "metrics": "pipelines.metrics",
    "builders": "pipelines.builders",
    "recipes": "pipelines.training",
}  # the plurals of all kinds of component, and where their registries are


def registry_of(kind: str) -> Registry[Any]:
    """The registry of a kind by its plural; its package is imported now."""
    return cast(Registry[Any], import_module(module_name(KINDS[kind])).registry)


def registries() -> dict[str, Registry[Any]]:
    """The registries of all packages by the plural of their kind."""
    return {kind: registry_of(kind) for kind in KINDS}


def catalogue() -> dict[str, dict[str, dict[str, Any]]]:
    """Kind → name → summary and parameters (name to default, "required" where there is none)."""
    return {
        kind: {name: _entry(registry, name) for name in registry.names()} for kind, registry in registries().items()
    }


def _entry(registry: Registry[Any], name: str) -> dict[str, Any]:
    cls = registry.component(name)
    summary = (inspect.getdoc(cls) or "").partition("\n\n")[0].replace("\n", " ")
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    preset = registry.parse(name)[1]
    parameters = {field.name: preset.get(field.name, _default(field)) for field in fields if field.init}
    return {"summary": summary, "parameters": parameters}


def _default(field: Any) -> Any:
    if field.default is not dataclasses.MISSING:
        default = field.default
    elif field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    else:
        return "required"
    return list(default) if isinstance(default, tuple) else default if _plain(default) else repr(default)


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool, list, dict))


def _recipe(row: Mapping[str, Any]) -> str:
    """A task's recipe in a line."""
    width = ", as many as fit" if row["k"] is None else f" k={row['k']}"
    selected = row["retriever"] + ("" if row["retriever"] == "all" else width)
    return f"{row['chunker']} → {selected} → {row['strategy']} → {row['model']}"


def _fields(row: Mapping[str, Any]) -> str:
    """A component's parameters with their defaults."""
    return ", ".join(f"{field}={_as_typed(default)}" for field, default in row["parameters"].items())


def _as_typed(value: Any) -> Any:
    """A default as it would be typed: a word as it is, anything else as JSON."""
    return value if isinstance(value, str) and value.isprintable() and value else json.dumps(value)


COMMANDS = (tasks, components)
