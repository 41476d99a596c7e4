"""Making a component of a class: its fields are checked by name and type, and by who may set them."""

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from longdoc.allowed_code import check_fields
from longdoc.arguments import check_whole
from longdoc.errors import UserError, unknown


def construct(cls: type, label: str, values: Mapping[Any, Any], file: str | None = None) -> Any:
    """Make a component that a `file` (None: the user) names. Raises `UserError` for unknown or invalid fields."""
    if not dataclasses.is_dataclass(cls):
        if isinstance(cls, type):
            check_fields(cls, label, values, file)
        return _call(cls, label, values)
    schema = {field.name: field for field in dataclasses.fields(cls) if field.init}
    fields = dict(values)
    if None in fields:
        if not schema:
            raise UserError(f"{label} takes no parameters, got {fields[None]!r}")
        first = next(iter(schema))
        if first in fields:
            raise UserError(f"{label}: {first} given twice")
        fields[first] = fields.pop(None)
    check_fields(cls, label, fields, file)
    hints = typing.get_type_hints(cls)
    arguments = {}
    for name, value in fields.items():
        if name not in schema:
            raise unknown(f"parameter of {label}:", str(name), schema)
        arguments[name] = _typed_value(label, str(name), value, hints[str(name)])
    missing = [
        name
        for name, field in schema.items()
        if name not in arguments
        and field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise UserError(f"{label} needs {', '.join(missing)}")
    return cls(**arguments)


def _call(make: Callable[..., Any], label: str, values: Mapping[Any, Any]) -> Any:
    """Call a class that is not a dataclass, or a function, with the values."""
    if None in values:
        raise UserError(f"{label} takes named values only, as in NAME:field={values[None]!r}")
    try:
        inspect.signature(make).bind(**{str(key): value for key, value in values.items()})
    except TypeError as error:
        raise UserError(f"{label}: {error}") from None
    except ValueError:
        pass  # a class written in C may have no signature
    return make(**{str(key): value for key, value in values.items()})


def _typed_value(label: str, name: str, value: Any, hint: Any) -> Any:
    from typeguard import CollectionCheckStrategy, TypeCheckError, check_type

    if isinstance(value, list):  # the spec language has lists only; fields are hashable tuples
        value = tuple(value)
    check_whole(f"{label}: {name}", value)
    try:
        check_type(_plain(value), hint, collection_check_strategy=CollectionCheckStrategy.ALL_ITEMS)
    except TypeCheckError:
        raise UserError(f"{label}: {name} must be {type_text(hint)}, got {value!r}") from None
    return value


def _plain(value: Any) -> Any:
    """The value without marks of a file, as typeguard compares the types of texts with those of a `Literal`."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def type_text(hint: Any) -> str:
    """A type in words: "one of 'a', 'b'", "a list of str", "float or None"."""
    origin, inner_types = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return repr(inner_types[0]) if len(inner_types) == 1 else f"one of {', '.join(map(repr, inner_types))}"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(map(type_text, inner_types))
    if origin in (tuple, list, Sequence) and inner_types[1:] in ((), (...,)):
        return "a list" if inner_types[0] is Any else f"a list of {type_text(inner_types[0]).removeprefix('one of ')}"
    if hint is type(None):
        return "None"
    return hint.__name__ if isinstance(hint, type) else str(hint).replace("typing.", "").replace("collections.abc.", "")
