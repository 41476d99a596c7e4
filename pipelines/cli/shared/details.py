"""A component, a prompt or a task in full, as `longdoc list` prints it."""

import dataclasses
import inspect
import json
import re
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longdoc.construction import type_text
from longdoc.registry import Registry

if TYPE_CHECKING:
    from pipelines.tasks import Task

_BREAK = re.compile(r"\n(?=[^\S\n]*(?:\n|- )|    )|(?<=\n)\n")  # before a list's item, an indented line, a blank one


@dataclass(frozen=True, slots=True)
class Details:
    """A title, a text, and a table whose last column holds the long texts."""

    title: str
    text: str
    heading: str
    rows: Sequence[tuple[str, ...]]

    def __str__(self) -> str:
        above = [self.title, "", self.text, ""] if self.text else [self.title, ""]
        return "\n".join([*above, *([self.heading] if self.heading else []), *_columns(self.rows)])

    @property
    def flowing(self) -> str:
        """The text with one line for each paragraph, to be wrapped at any width."""
        return "\n".join(" ".join(part.split()) for part in _BREAK.split(self.text))


def class_parameters(registry: Registry[Any], name: str) -> dict[str, Any]:
    """A component's docstring, its parameters' types in words, and the spec that a preset is short for."""
    cls = registry.component(name)
    hints = typing.get_type_hints(cls)
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    return {
        "docstring": inspect.getdoc(cls) or "",
        "types": {field.name: type_text(hints[field.name]) for field in fields if field.init},
        "short_for": registry.presets.get(name),
    }


def component(registry: Registry[Any], name: str, row: Mapping[str, Any]) -> Details:
    """The details of a component: docstring, parameters, types and defaults."""
    short = f", short for {row['short_for']}" if row["short_for"] else ""
    rows = [(field, row["types"][field], typed_text(default)) for field, default in row["parameters"].items()]
    heading = "Parameters, their types and defaults:" if rows else "No parameters."
    return Details(f"{registry.kind} {name}{short}", row["docstring"], heading, rows)


def prompts() -> dict[str, dict[str, Any]]:
    """The named prompts, in the form in which components are listed."""
    from pipelines.prompts.presets import FAMILIES

    return {
        name: {"summary": f"For {family.models}: {family.with_query!r}.", "parameters": {}}
        for name, family in FAMILIES.items()
    }


def prompt(name: str) -> Details:
    """The details of a prompt: its models, its wording with and without a query, and its source."""
    from pipelines.prompts.presets import FAMILIES

    family = FAMILIES[name]
    rows = [("for", family.models), ("with a query", repr(family.with_query)), ("without", repr(family.without_query))]
    return Details(f"prompt {name}", "", "", [*rows, ("source", family.source)])


def task(task: "Task") -> Details:
    """The details of a task: recipe, scores, prompt and data."""
    files = task.dataset.files
    rows = [
        ("recipe", recipe(dataclasses.asdict(task))),
        ("output", f"at most {task.max_new_tokens:,} tokens"),
        ("metrics", ", ".join(task.metrics)),
        ("prompt", typed_text(task.prompt)),
        ("instruction", task.instruction),
        ("chat models", f"{task.chat.instruction} … {task.chat.format}" if task.chat else ""),
        ("labels", ", ".join(task.labels)),
        ("floor", task.floor),
        ("data", f"{task.dataset.repository} ({', '.join(files)})" if files else "your own: --data FILE or FOLDER"),
        ("scored split", task.split if files else ""),
        ("trained on", task.trains_on),
    ]
    text = f"{task.summary}\n\n{task.notes}" if task.notes else task.summary
    return Details(f"task {task.name}", text, "", [(name, value) for name, value in rows if value])


def recipe(row: Mapping[str, Any]) -> str:
    """A task's recipe on one line: `chunker → retriever k=5 → strategy → reader`."""
    width = ", as many as fit" if row["k"] is None else f" k={row['k']}"
    selected = row["retriever"] + ("" if row["retriever"] == "all" else width)
    return f"{row['chunker']} → {selected} → {row['strategy']} → {row['model']}"


def typed_text(value: Any) -> str:
    """A default as a user types it: text as it is, other values as JSON."""
    return value if isinstance(value, str) and value.isprintable() and value else json.dumps(value)


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The rows as lines, every column but the last padded to its longest entry."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    return [
        "  " + "  ".join([*(entry.ljust(width) for entry, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
