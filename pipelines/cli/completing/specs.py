"""What may come next in the text of a component: `den` → `dense`, `dense:no` → `dense:normalize=`, and its values.

Inside brackets and braces the components of the field that they belong to: `hybrid:[bm25,de` → `hybrid:[bm25,dense`.
"""

import dataclasses
import re
import types
import typing
from collections.abc import Iterator
from typing import Any

from longdoc.registry import Registry
from longdoc.spec_lists import pieces, scan
from pipelines.cli.components import registry_of

NESTED = {"retriever": "retrievers", "retrievers": "retrievers", "chunker": "chunkers", "model": "encoders"}
_FIELD = re.compile(r"(\w+)=(.*)", re.DOTALL)


def completions(kind: str, typed_text: str) -> list[str]:
    """The whole texts that `typed_text` may become, it being one component of the kind or several with commas between.

    In place of the only field that may follow stand its values, if there are several: shells put a space behind the
    only completion.
    """
    names = _completions(kind, typed_text)
    values = _completions(kind, names[0]) if len(names) == 1 and names[0].endswith("=") else []
    return values if len(values) > 1 else names


def _completions(kind: str, typed_text: str) -> list[str]:
    level, start, bracket = typed_text, 0, ""
    for position in _unclosed(typed_text):
        kind = _kind_inside(kind, typed_text[start:position], bracket)
        level, start, bracket = typed_text[position + 1 :], position + 1, typed_text[position]
    last = _last_piece(level)
    head = typed_text[: len(typed_text) - len(last)]
    return [head + text for text in _piece_names(kind, level, last, bracket) if text.startswith(last)]


def _unclosed(typed_text: str) -> list[int]:
    """Where the brackets are that are still open."""
    opened: list[int] = []
    for position, char, before in scan(typed_text):
        opened = [*before, position] if char in "[{" else list(before)
    return opened


def _last_piece(level: str) -> str:
    """What stands behind the last comma outside brackets."""
    comma = max((position for position, char, opened in scan(level) if char == "," and not opened), default=-1)
    return level[comma + 1 :].lstrip()


def _piece_names(kind: str, level: str, last: str, bracket: str) -> Iterator[str]:
    """What the last piece may become."""
    registry = registry_of(kind)
    earlier_names = pieces(level)[:-1]
    name, colon, argument = last.partition(":")
    if colon and not _FIELD.match(last):
        yield from (f"{name}:{text}" for text in _arguments(registry, name, argument, set(), first=True))
        return
    owner = next((text for text in reversed(earlier_names) if not _FIELD.match(text)), "")
    if ":" in owner and bracket != "[":
        behind = earlier_names[earlier_names.index(owner) + 1 :]
        field_names = {match[1] for text in (owner.partition(":")[2], *behind) if (match := _FIELD.match(text))}
        yield from _arguments(registry, owner.partition(":")[0], last, field_names)
    if not earlier_names or bracket != "{":
        yield from registry.names()


def _arguments(
    registry: Registry[Any], name: str, typed_text: str, given_names: set[str], first: bool = False
) -> Iterator[str]:
    """The next argument of a component: a field that is not given, or the values of the one that is typed."""
    fields = _fields(registry, name)
    if match := _FIELD.match(typed_text):
        yield from (f"{match[1]}={value}" for value in _values(registry, match[1], fields.get(match[1])))
        return
    if first and fields:
        yield from _values(registry, *next(iter(fields.items())))
    yield from (f"{field}=" for field in fields if field not in given_names)


def _values(registry: Registry[Any], field: str, hint: Any) -> list[str]:
    """The words that a field of this type takes, as they are typed; none for texts and numbers."""
    if hint is Any and field in NESTED:
        return registry_of(NESTED[field]).names()
    if hint is bool:
        return ["true", "false"]
    if typing.get_origin(hint) is typing.Literal:
        return [str(value) for value in typing.get_args(hint)]
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return [value for single_value in typing.get_args(hint) for value in _values(registry, field, single_value)]
    return []


def _kind_inside(kind: str, before: str, bracket: str) -> str:
    """The kind of component inside a bracket that is opened behind the text `before`."""
    owner = next((text for text in reversed(pieces(before)) if text and not _FIELD.match(text)), "")
    if not owner or bracket == "[":
        return kind
    name = owner.partition(":")[0]
    match = _FIELD.match(_last_piece(before).removeprefix(f"{name}:"))
    fields = _fields(registry_of(kind), name)
    field = match[1] if match else next(iter(fields), "")
    return NESTED.get(field, kind)


def _fields(registry: Registry[Any], name: str) -> dict[str, Any]:
    """A component's parameters and their types; none for a name that is unknown, or not of our files."""
    if name not in registry.names():
        return {}
    cls = registry.component(name)
    if not dataclasses.is_dataclass(cls):
        return {}
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}
