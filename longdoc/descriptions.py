"""Components in other forms: as typed, without fields on where they ran, and pickled for other processes."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, SupportsIndex

from longdoc.registry import describe, name_of


def typed_form(value: Any) -> Any:
    """A value as a user types it: numbers and words as they are, components as specs."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        fields = ",".join(f"{name}={typed_form(item)}" for name, item in value.items() if name != "name")
        return f"{value.get('name', '')}:{fields}" if fields else str(value.get("name", ""))
    if isinstance(value, (list, tuple)):
        return f"[{','.join(str(typed_form(item)) for item in value)}]"
    description = describe(value)
    return typed_form(description) if description.get("repeatable", True) else name_of(value)


# fields of components that tell where and how they ran, and do not change what they computed
VOLATILE = (
    "device",
    "threads",
    "batch_tokens",
    "batch_size",
    "cache",
    "versions",
    "path",
    "concurrency",
    "timeout",
    "max_retries",
    "prices",
    "batch_price",
    "max_cost",
    "key_variable",
)
REPLICAS = "base_url"  # one address may tell two models of one name apart; a list is of servers of the same model


def without_volatile(description: Any) -> Any:
    """A component's description (`longdoc.registry.describe`) without the fields on where and how it ran."""
    if isinstance(description, Mapping):
        return {key: without_volatile(value) for key, value in description.items() if not _is_volatile(key, value)}
    return [without_volatile(value) for value in description] if isinstance(description, list) else description


def _is_volatile(key: Any, value: Any) -> bool:
    return key in VOLATILE or (key == REPLICAS and isinstance(value, list))


class PickledByFields:
    """Base of components that are pickled as the fields they were made from; the copy loads models itself.

    Classes that are not dataclasses are pickled as Python does.
    """

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        if not dataclasses.is_dataclass(self):
            return super().__reduce_ex__(protocol)
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}
        return _component, (type(self), fields)


def _component(cls: type, fields: dict[str, Any]) -> Any:
    return cls(**fields)
