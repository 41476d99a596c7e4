"""Arguments as they would be typed on the command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.registry import describe, name_of


def typed_form(value: Any) -> Any:
    """A value as it would be typed: numbers and words as they are, components by their description."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        fields = ",".join(f"{name}={typed_form(item)}" for name, item in value.items() if name != "name")
        return f"{value.get('name', '')}:{fields}" if fields else str(value.get("name", ""))
    if isinstance(value, (list, tuple)):
        return f"[{','.join(str(typed_form(item)) for item in value)}]"
    described_value = describe(value)
    return typed_form(described_value) if described_value.get("repeatable", True) else name_of(value)
