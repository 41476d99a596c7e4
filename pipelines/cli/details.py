"""One component or one task in full, as text."""

import dataclasses
import inspect
import json
import typing
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from longdoc.registry import Registry, in_words

if TYPE_CHECKING:
    from pipelines.tasks import Task


def of_class(registry: Registry[Any], name: str) -> dict[str, Any]:
    """A component's docstring, the types of its parameters in words, and what a preset is short for."""
    cls = registry.component(name)
    hints = typing.get_type_hints(cls)
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    return {
        "docstring": inspect.getdoc(cls) or "",
        "types": {one.name: in_words(hints[one.name]) for one in fields if one.init},
        "short_for": registry.presets.get(name),
    }


def component(registry: Registry[Any], name: str, row: Mapping[str, Any]) -> str:
    """A component: its docstring, and its parameters with types and defaults."""
    short = f", short for {row['short_for']}" if row["short_for"] else ""
    lines = [f"{registry.kind} {name}{short}", "", row["docstring"], ""]
    if not row["parameters"]:
        return "\n".join([*lines, "No parameters."])
    rows = [(field, row["types"][field], as_typed(default)) for field, default in row["parameters"].items()]
    return "\n".join([*lines, "Parameters, their types and defaults:", *_columns(rows)])


def prompts() -> dict[str, dict[str, Any]]:
    """The prompts that have a name, as components are listed."""
    from pipelines.strategies._prompt_presets import FAMILIES

    return {
        name: {"summary": f"Of {one.models}: {one.with_query!r}.", "parameters": {}} for name, one in FAMILIES.items()
    }


def prompt(name: str) -> str:
    """A prompt: its wordings, whose it is, and where it is published."""
    from pipelines.strategies._prompt_presets import FAMILIES

    one = FAMILIES[name]
    rows = [("of", one.models), ("with a query", repr(one.with_query)), ("without", repr(one.without_query))]
    return "\n".join([f"prompt {name}", "", *_columns([*rows, ("source", one.source)])])


def task(one: "Task") -> str:
    """A task: what it is, its recipe, its scores, its prompt and its data."""
    files = one.dataset.files
    rows = [
        ("recipe", recipe(dataclasses.asdict(one))),
        ("output", f"at most {one.max_new_tokens:,} tokens"),
        ("metrics", ", ".join(one.metrics)),
        ("prompt", as_typed(one.prompt)),
        ("instruction", one.instruction),
        ("labels", ", ".join(one.labels)),
        ("floor", one.floor),
        ("data", f"{one.dataset.repository} ({', '.join(files)})" if files else "your own: --data FILE or FOLDER"),
        ("scored split", one.split if files else ""),
        ("trained on", one.trains_on),
    ]
    lines = [f"task {one.name}", "", one.summary, "", *_columns((name, value) for name, value in rows if value)]
    return "\n".join([*lines, "", one.notes] if one.notes else lines)


def recipe(row: Mapping[str, Any]) -> str:
    """A task's recipe in a line."""
    width = ", as many as fit" if row["k"] is None else f" k={row['k']}"
    selected = row["retriever"] + ("" if row["retriever"] == "all" else width)
    return f"{row['chunker']} → {selected} → {row['strategy']} → {row['model']}"


def as_typed(value: Any) -> str:
    """A default as it would be typed: a word as it is, anything else as JSON."""
    return value if isinstance(value, str) and value.isprintable() and value else json.dumps(value)


def _columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """The rows with all columns but the last as wide as their longest entry."""
    listed = list(rows)
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)][:-1]
    return [
        "  " + "  ".join([*(entry.ljust(width) for entry, width in zip(row, widths, strict=False)), row[-1]])
        for row in listed
    ]
