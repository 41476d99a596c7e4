"""The page of verbs: what `import longdoc` gives, with signatures and docstrings, and the records that come back."""

import dataclasses
import inspect
import re
import typing
from collections.abc import Callable
from typing import Any

import markdown_text as words

import pipelines

CHAPTERS = {
    "Run, ask, score": ("run", "ablate", "plan_ablation", "Grid", "ask", "dry_run", "prompt", "score", "rescore"),
    "Look at what came out": ("compare", "report", "runs", "show", "published", "lengths", "outputs", "spread"),
    "Data and training": ("build", "train", "fetch"),
    "Benchmarks": ("submit", "check_submission", "benchmark", "benchmark_score", "agreement", "contrapro"),
}
LEAST = 60  # characters of a signature that still go on one line


def pages() -> str:
    """Every verb in its chapter; what no chapter names comes at the end."""
    known = {name: getattr(pipelines, name) for name in pipelines.__all__}
    verbs = {name: verb for name, verb in known.items() if inspect.isroutine(verb) or inspect.isclass(verb)}
    named = {name for chapter in CHAPTERS.values() for name in chapter}
    chapters = {**CHAPTERS, "Others": tuple(name for name in verbs if name not in named)}
    parts = []
    for title, names in chapters.items():
        if found := [name for name in names if name in verbs]:
            parts += [f"## {title}", *(_verb(name, verbs[name]) for name in found)]
    return "\n\n".join(parts)


def records() -> str:
    """The records that verbs give back, each once, with their fields."""
    found: dict[str, type] = {}
    for name in pipelines.__all__:
        verb = getattr(pipelines, name)
        if inspect.isfunction(verb):
            given = typing.get_type_hints(verb).get("return")
            if isinstance(given, type) and dataclasses.is_dataclass(given):
                found[given.__name__] = given
    return "\n\n".join(_record(found[name]) for name in sorted(found))


def _verb(name: str, verb: Callable[..., Any]) -> str:
    return f"### {name} {{ #{name} }}\n\n```python\n{signature(name, verb)}\n```\n\n{words.prose(verb.__doc__)}"


def signature(name: str, verb: Callable[..., Any]) -> str:
    """`longdoc.NAME(...)` as it is written, a parameter a line where one line is too short."""
    found = inspect.signature(verb)
    written = [_parameter(one) for one in found.parameters.values() if one.name != "self"]
    first = next((i for i, one in enumerate(found.parameters.values()) if one.kind is one.KEYWORD_ONLY), None)
    starred = any(one.kind is one.VAR_POSITIONAL for one in found.parameters.values())
    if first is not None and not starred:
        written.insert(first, "*")
    gives = "" if inspect.isclass(verb) else f" -> {_annotation(found.return_annotation)}"
    line = f"longdoc.{name}({', '.join(written)}){gives}"
    return line if len(line) <= LEAST else f"longdoc.{name}(\n    " + ",\n    ".join(written) + f",\n){gives}"


def _parameter(one: inspect.Parameter) -> str:
    stars = "*" * (one.kind is one.VAR_POSITIONAL) + "**" * (one.kind is one.VAR_KEYWORD)
    hint = "" if one.annotation is one.empty else f": {_annotation(one.annotation)}"
    default = "" if one.default is one.empty else f" = {one.default!r}".replace("'", '"')
    return f"{stars}{one.name}{hint}{default}"


def _annotation(given: Any) -> str:
    written = given if isinstance(given, str) else inspect.formatannotation(given)
    written = re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", written)
    return re.sub(r"Optional\[(.*)\]", r"\1 | None", written).replace("'", '"')


def _record(cls: type) -> str:
    hints = typing.get_type_hints(cls)
    rows = [[words.code(field.name), words.code(_annotation(hints[field.name]))] for field in dataclasses.fields(cls)]
    table = words.table(["field", "type"], rows)
    return f"### {cls.__name__} {{ #{cls.__name__.lower()} }}\n\n{words.prose(cls.__doc__)}\n\n{table}"
