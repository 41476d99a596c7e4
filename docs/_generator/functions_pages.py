"""The page of functions: what `import longdoc` gives, with signatures and docstrings, and the records they return."""

import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Callable
from typing import Any

import markdown_text as md

import longdoc
import pipelines
from pipelines.engine.planning.options import OPTIONS, default_of
from pipelines.engine.planning.run_options import types_of

SECTIONS = {
    "Run, ask, score": (
        "run",
        "read_config",
        "rerun",
        "merge",
        "ablate",
        "plan_ablation",
        "plan",
        "Grid",
        "ask",
        "cost",
        "dry_run",
        "prompt",
        "score",
        "rescore",
    ),
    "Look at results": (
        "view",
        "runs",
        "compare",
        "curve",
        "report",
        "verify",
        "show",
        "blame",
        "published",
        "lengths",
        "outputs",
        "spread",
    ),
    "Data and training": ("build", "train", "fetch"),
    "Benchmarks": (
        "run_tasks",
        "dry_run_tasks",
        "submit",
        "check_submission",
        "benchmark",
        "agreement",
        "label_agreement",
    ),
    "Other harnesses": ("export",),
}
_COMMA = re.compile(r", (?![^\[]*\])")  # outside brackets
LINE_WIDTH = 60  # characters: a longer signature has one parameter per line


def pages() -> str:
    """Every function in its section; those that no section lists come last."""
    exported = {name: getattr(pipelines, name) for name in pipelines.__all__}
    functions = {name: one for name, one in exported.items() if inspect.isroutine(one) or inspect.isclass(one)}
    listed = {name for names in SECTIONS.values() for name in names}
    sections = {**SECTIONS, "Others": tuple(name for name in functions if name not in listed)}
    parts = []
    for title, names in sections.items():
        if present := [name for name in names if name in functions]:
            parts += [f"## {title}", *(_function(name, functions[name]) for name in present)]
    return "\n\n".join(parts)


def records() -> str:
    """The records that functions return, each once, with their fields."""
    classes: dict[str, type] = {}
    for name in pipelines.__all__:
        function = getattr(pipelines, name)
        if inspect.isfunction(function):
            returned = _return_type(function)
            if isinstance(returned, type) and dataclasses.is_dataclass(returned):
                classes[returned.__name__] = returned
    return "\n\n".join(_record(classes[name]) for name in sorted(classes))


def _return_type(function: Any) -> Any:
    """The type that a function returns; names that only its parameters need (`TYPE_CHECKING`) are not looked up."""
    returned = types.SimpleNamespace(__annotations__={"return": function.__annotations__.get("return")})
    return typing.get_type_hints(returned, globalns=inspect.unwrap(function).__globals__)["return"]


def _function(name: str, function: Callable[..., Any]) -> str:
    head = f"### {name} {{ #{name} }}\n\n```python\n{signature(name, function)}\n```"
    return f"{head}\n\n{md.prose(function.__doc__)}"


def signature(name: str, function: Callable[..., Any]) -> str:
    """The call of a function, `longdoc.NAME(...)`; one parameter per line where it does not fit on one line."""
    inspected = inspect.signature(function)
    parameters = [one for one in inspected.parameters.values() if one.name != "self"]
    rendered = [text for one in parameters for text in _parameters(one)]
    first_keyword = next(
        (i for i, one in enumerate(parameters) if one.kind is one.KEYWORD_ONLY or _unpacked(one)), None
    )
    starred = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    if first_keyword is not None and not starred:
        rendered.insert(first_keyword, "*")
    returns = "" if inspect.isclass(function) else f" -> {_annotation(inspected.return_annotation)}"
    name = f"longdoc.{name}" if name in longdoc.__all__ else f"longdoc.pipelines.{name}"
    line = f"{name}({', '.join(rendered)}){returns}"
    return line if len(line) <= LINE_WIDTH else f"{name}(\n    " + ",\n    ".join(rendered) + f",\n){returns}"


def _unpacked(one: inspect.Parameter) -> Any:
    """The dictionary type of `**options: Unpack[…]`, None of others."""
    return next(iter(typing.get_args(one.annotation)), None) if one.kind is one.VAR_KEYWORD else None


def _parameters(one: inspect.Parameter) -> list[str]:
    """A parameter, or those that `**options` stands for, as they are declared in `RunOptions`."""
    if (declared := _unpacked(one)) is None:
        return [_parameter(one)]
    kinds = types_of(declared)
    names = [name for name in OPTIONS if name in kinds]
    return [f"{name}: {_annotation(kinds[name])} = {default_of(name)!r}".replace("'", '"') for name in names]


def _parameter(one: inspect.Parameter) -> str:
    stars = "*" * (one.kind is one.VAR_POSITIONAL) + "**" * (one.kind is one.VAR_KEYWORD)
    hint = "" if one.annotation is one.empty else f": {_annotation(one.annotation)}"
    default = "" if one.default is one.empty else f" = {one.default!r}".replace("'", '"')
    return f"{stars}{one.name}{hint}{default}"


def _annotation(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", text)
    text = re.sub(r"ForwardRef\('(\w+)'\)", r"\1", text)
    text = re.sub(r"^Union\[(.*)\]$", lambda match: _COMMA.sub(" | ", match[1]).replace("NoneType", "None"), text)
    return re.sub(r"Optional\[(.*)\]", r"\1 | None", text).replace("'", '"')


def _record(cls: type) -> str:
    hints = typing.get_type_hints(cls)
    rows = [[md.code(field.name), md.code(_annotation(hints[field.name]))] for field in dataclasses.fields(cls)]
    table = md.table(["field", "type"], rows)
    return f"### {cls.__name__} {{ #{cls.__name__.lower()} }}\n\n{md.prose(cls.__doc__)}\n\n{table}"
