"""The commands that list tasks and components; summaries and parameters are read from the code."""

import dataclasses
import inspect
import json
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from longdoc.errors import unknown
from longdoc.extensions import plugins
from longdoc.plugin import loaded
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
    """List the tasks with their recipes, or one in full.

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
    """List all components or those of a kind, or one in full.

    Chunkers, retrievers, readers, encoders, strategies, metrics, builders, recipes, prompts.

    Example: longdoc list components

    Example: longdoc list components bm25
    """
    rows_by_kind = catalogue() if name is None else _components_called(name)
    is_single = name is not None and _kind(name) is None
    if as_json:
        print(json.dumps(rows_by_kind, indent=2))
    elif is_single:
        _show(
            *(
                _full_details(kind, component, row)
                for kind, rows in rows_by_kind.items()
                for component, row in rows.items()
            )
        )
    elif terminal.is_plain():
        for kind, rows in rows_by_kind.items():
            print(kind)
            for component, row in rows.items():
                parameters = _parameters(row)
                print(f"  {component:<24} {row['summary']}" + (f"\n  {'':<24} {parameters}" if parameters else ""))
    else:
        from pipelines.cli.shared import render

        terminal.draw(render.components(rows_by_kind, _parameters))


CORE_KINDS = {
    "chunkers": "chunkers",
    "retrievers": "retrievers",
    "readers": "models",
    "encoders": "models.encoders",
    "strategies": "pipelines.strategies",
    "metrics": "pipelines.metrics",
}  # the module of each kind's registry, by the plural of the kind
PROMPTS = "prompts"  # have no registry, and are listed with the components


def registry_of(kind: str) -> Registry[Any]:
    """The registry of a kind, named by its plural. Imports the package."""
    return cast(Registry[Any], loaded(_kinds()[kind]).registry)


def _kinds() -> dict[str, str]:
    """The module of each kind's registry by the plural of the kind, plugins included."""
    return CORE_KINDS | {kind: place for plugin in plugins().values() for kind, place in plugin.kinds.items()}


def registries() -> dict[str, Registry[Any]]:
    """All registries by the plural of their kind."""
    return {kind: registry_of(kind) for kind in _kinds()}


def catalogue() -> dict[str, dict[str, dict[str, Any]]]:
    """Kind → name → summary and parameters; a parameter without a default has "required"."""
    return {**{kind: _rows(registry) for kind, registry in registries().items()}, PROMPTS: details.prompts()}


def _components_called(name: str) -> dict[str, dict[str, dict[str, Any]]]:
    """The components of the kind `name`, or the one (of each kind) that is called so, in full. Raises `UserError`."""
    if (kind := _kind(name)) is not None:
        return {kind: details.prompts() if kind == PROMPTS else _rows(registry_of(kind))}
    if name in details.prompts():
        return {PROMPTS: {name: details.prompts()[name]}}
    names_by_kind = {kind: {*registry.names(), *registry.hidden} for kind, registry in registries().items()}
    if not (kinds := [kind for kind, names in names_by_kind.items() if name in names]):
        raise unknown(
            "component",
            name,
            {*_kinds(), PROMPTS, *details.prompts(), *(name for names in names_by_kind.values() for name in names)},
        )
    return {
        kind: {name: {**_row(registry_of(kind), name), **details.class_parameters(registry_of(kind), name)}}
        for kind in kinds
    }


def _show(*descriptions: details.Details) -> None:
    if terminal.is_plain():
        print("\n\n".join(map(str, descriptions)))
    else:
        from pipelines.cli.shared import render

        terminal.draw(render.details(descriptions))


def _full_details(kind: str, name: str, row: dict[str, Any]) -> details.Details:
    return details.prompt(name) if kind == PROMPTS else details.component(registry_of(kind), name, row)


def _kind(name: str) -> str | None:
    """The plural of the kind that a name means, be it singular or plural; None if it means none."""
    singular = {"strategy": "strategies", "model": "readers", "models": "readers"}
    return next((kind for kind in (*_kinds(), PROMPTS) if name in (kind, kind.removesuffix("s"))), singular.get(name))


def _rows(registry: Registry[Any]) -> dict[str, dict[str, Any]]:
    """Summary and parameters of a registry's components, by name."""
    return {name: _row(registry, name) for name in registry.names()}


def _tasks_called(name: str | None) -> "list[Task]":
    """All tasks, those of a benchmark, or those called `name` in any benchmark. Raises `UserError` for none."""
    from longdoc.extensions import benchmarks
    from pipelines.tasks import all_tasks, own_data_tasks, tasks_of

    tasks = all_tasks()
    if name is None:
        return list(tasks.values())
    if name == "own_data":
        return list(own_data_tasks())
    if name in benchmarks():
        return list(tasks_of(name))
    matches = [task for full_name, task in tasks.items() if full_name == name] or [
        task for full_name, task in tasks.items() if full_name.endswith(f"/{name}")
    ]
    if not matches:
        raise unknown("task", name, {*tasks, *benchmarks()})
    return matches


def _row(registry: Registry[Any], name: str) -> dict[str, Any]:
    """A component's summary, and its parameters with their defaults."""
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


def _parameters(row: dict[str, Any]) -> str:
    """A component's parameters with their defaults, as text."""
    return ", ".join(f"{field}={details.typed_text(default)}" for field, default in row["parameters"].items())
