"""Records as plain values: dictionaries, lists, text and numbers, as JSON holds them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar


class Record:
    """A record whose JSON has other keys than its fields: `KEYS`, in their order.

    A dotted key (`scores.intervals`) is an attribute of an attribute, called by its last part.
    """

    __slots__ = ()
    KEYS: ClassVar[Sequence[str]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)


def plain_fields(record: Any, leave_out: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a dataclass by name, all values plain; those named in `leave_out` are skipped at every depth."""
    return plain_keys(
        record, (isinstance(record, Record) and record.KEYS) or [field.name for field in fields(record)], leave_out
    )


def plain_keys(record: Any, keys: Sequence[str], leave_out: Collection[str] = ()) -> dict[str, Any]:
    """Attributes as plain values; a dotted one is called by its last part."""
    return {
        name: plain_value(attrgetter(key)(record), leave_out)
        for key in keys
        if (name := key.rpartition(".")[2]) not in leave_out
    }


def plain_value(value: Any, leave_out: Collection[str] = ()) -> Any:
    """Dataclasses and mappings as dictionaries, sequences as lists, paths as text; everything else stays as it is."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(item, leave_out) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return plain_fields(value, leave_out)
    if isinstance(value, (list, tuple)):
        return [plain_value(item, leave_out) for item in value]
    return str(value) if isinstance(value, Path) else value
