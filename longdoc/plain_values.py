"""Records as plain values: dictionaries, lists, text and numbers, as JSON holds them."""

from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any


def plain_fields(record: Any, leave_out: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a dataclass by name, all values plain; those named in `leave_out` are skipped at every depth."""
    return {
        field.name: plain_value(getattr(record, field.name), leave_out)
        for field in fields(record)
        if field.name not in leave_out
    }


def plain_value(value: Any, leave_out: Collection[str] = ()) -> Any:
    """Dataclasses and mappings as dictionaries, sequences as lists, paths as text; everything else stays as it is."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain_fields(value, leave_out)
    if isinstance(value, Mapping):
        return {str(key): plain_value(item, leave_out) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_value(item, leave_out) for item in value]
    return str(value) if isinstance(value, Path) else value
