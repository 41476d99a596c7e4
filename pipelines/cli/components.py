"""Commands that list the tasks and the components, whose summaries and parameters are read from the code."""

import dataclasses
import inspect
import json
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from longdoc.errors import unknown
from longdoc.layout import module_name
from longdoc.registry import Registry
from pipelines.cli.shared import details
from pipelines.cli.shared.shared_options import Json
from pipelines.display import terminal

if TYPE_CHECKING:
    from pipelines.tasks import Task


def tasks(
    name: Annotated[str | None, typer.Argument(metavar="TASK", help="A task, or a benchmark: muld …")] = None,
    as_json: Json = False,
) -> None:
    """List the tasks with their recipes, or show one whole.

    Example: longdoc list tasks

    Example: longdoc list tasks scrolls
    """
    from pipelines.tasks import all_tasks

    tasks = _tasks_called(name)
    if len(tasks) == 1 and not as_json:
        _show(details.task(tasks[0]))
        return
    rows = {
        task.name: {"summary": task.summary, "split": task.split, "chunker": task.chunker, "retriever": task.retriever,
                    "k": task.k, "strategy": task.strategy, "model": task.model, "metrics": list(task.metrics),
                    "max_new_tokens": task.max_new_tokens, "floor": task.floor, "notes": task.notes}
        for task in sorted(tasks, key=lambda task: task.name)
    }  # fmt: skip
    if as_json:
        print(json.dumps(rows, indent=2))
    elif terminal.is_plain():
        width = max(map(len, rows))
        for name, row in rows.items():
            print(f"{name:<{width}} {row['summary']}\n{'':<{width}} {details.recipe(row)}")
            print(f"{'':<{width}} {', '.join(all_tasks()[name].metrics)}")
    else:
        from pipelines.cli.shared import render

        terminal.draw(render.tasks(rows, details.recipe))


def components(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A kind (chunkers, retrievers …), or a component.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the components, those of a kind, or show one whole.

    Chunkers, retrievers, readers, encoders, strategies, metrics, builders, recipes, prompts.

    Example: longdoc list components

    Example: longdoc list components bm25
    """
    kinds_values = catalogue() if name is None else _called(name)
    is_whole = name is not None and _kind(name) is None
    if as_json:
        print(json.dumps(kinds_values, indent=2))
    elif is_whole:
        _show(*(_full_details(kind, text, row) for kind, rows in kinds_values.items() for text, row in rows.items()))
    elif terminal.is_plain():
        for kind, rows in kinds_values.items():
            print(kind)
            for text, row in rows.items():
                fields = _fields(row)
                print(f"  {text:<24} {row['summary']}" + (f"\n  {'':<24} {fields}" if fields else ""))
    else:
        from pipelines.cli.shared import render

        terminal.draw(render.components(kinds_values, _fields))


KINDS_VALUES = {
    "chunkers": "chunkers",
    "retrievers": "retrievers",
    "readers": "models",
    "encoders": "models.encoders",
    "strategies": "pipelines.strategies",
    "metrics": "pipelines.metrics",
    "builders": "pipelines.builders",
    "recipes": "pipelines.training",
}  # the plurals of all kinds of component, and where their registries are
PROMPTS = "prompts"  # are listed with them


def registry_of(kind: str) -> Registry[Any]:
    """The registry of a kind by its plural; its package is imported now."""
    return cast(Registry[Any], import_module(module_name(KINDS_VALUES[kind])).registry)


def registries() -> dict[str, Registry[Any]]:
    """The registries of all packages by the plural of their kind."""
    return {kind: registry_of(kind) for kind in KINDS_VALUES}


def catalogue() -> dict[str, dict[str, dict[str, Any]]]:
    """Kind → name → summary and parameters (name to default, "required" where there is none)."""
    return {**{kind: _rows(registry) for kind, registry in registries().items()}, PROMPTS: details.prompts()}


def _called(name: str) -> dict[str, dict[str, dict[str, Any]]]:
    """The components of a kind, or those that have a name, with docstring and types. Raises `UserError`."""
    if (kind := _kind(name)) is not None:
        return {kind: details.prompts() if kind == PROMPTS else _rows(registry_of(kind))}
    if name in details.prompts():
        return {PROMPTS: {name: details.prompts()[name]}}
    known_names = {kind: {*registry.names(), *registry.hidden} for kind, registry in registries().items()}
    if not (having_names := [kind for kind, names in known_names.items() if name in names]):
        raise unknown(
            "component",
            name,
            {*KINDS_VALUES, PROMPTS, *details.prompts(), *(name for names in known_names.values() for name in names)},
        )
    return {
        kind: {name: {**_entry(registry_of(kind), name), **details.class_parameters(registry_of(kind), name)}}
        for kind in having_names
    }


def _show(*details: details.Details) -> None:
    if terminal.is_plain():
        print("\n\n".join(map(str, details)))
    else:
        from pipelines.cli.shared import render

        terminal.draw(render.details(details))


def _full_details(kind: str, name: str, row: dict[str, Any]) -> details.Details:
    return details.prompt(name) if kind == PROMPTS else details.component(registry_of(kind), name, row)


def _kind(name: str) -> str | None:
    """The plural of a kind by plural or singular; None for another name."""
    singular = {"strategy": "strategies", "model": "readers", "models": "readers"}
    return next(
        (kind for kind in (*KINDS_VALUES, PROMPTS) if name in (kind, kind.removesuffix("s"))), singular.get(name)
    )


def _rows(registry: Registry[Any]) -> dict[str, dict[str, Any]]:
    return {name: _entry(registry, name) for name in registry.names()}


def _tasks_called(name: str | None) -> "list[Task]":
    """All tasks, those of a benchmark, or those of a name, which several benchmarks may have. Raises `UserError`."""
    from pipelines.tasks import MODULES, all_tasks

    tasks = all_tasks()
    if name is None:
        return list(tasks.values())
    if name in MODULES:
        return list(import_module(module_name(f"pipelines.tasks.{name}")).TASKS)
    found_tasks = [task for text, task in tasks.items() if text == name] or [
        task for text, task in tasks.items() if text.endswith(f"/{name}")
    ]
    if not found_tasks:
        raise unknown("task", name, {*tasks, *MODULES})
    return found_tasks


def _entry(registry: Registry[Any], name: str) -> dict[str, Any]:
    cls = registry.component(name)
    summary = (inspect.getdoc(cls) or "").partition("\n\n")[0].replace("\n", " ")
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    preset = {fields[0].name if field is None else field: value for field, value in registry.parse(name)[1].items()}
    parameters = {field.name: preset.get(field.name, _default(field)) for field in fields if field.init}
    return {"summary": summary, "parameters": parameters}


def _default(field: Any) -> Any:
    if field.default is not dataclasses.MISSING:
        default = field.default
    elif field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    else:
        return "required"
    return list(default) if isinstance(default, tuple) else default if _is_plain(default) else repr(default)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool, list, dict))


def _fields(row: dict[str, Any]) -> str:
    """A component's parameters with their defaults."""
    return ", ".join(f"{field}={details.typed_text(default)}" for field, default in row["parameters"].items())
