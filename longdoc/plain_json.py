"""JSON from users' files, and records as the plain values that JSON holds.

Every problem of a file raises a `ValueError` with a message of one line. `json` itself raises other errors for integers
of more than 4,300 digits and for values nested about a thousand deep, and silently takes the last of duplicate keys.
Here all three are refused, as are integers too large for a float. `NaN`, `Infinity` and `-Infinity` are not JSON, but
Python, NumPy and pandas write them: they are read as numbers.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

DEEPEST = 100  # nested lists and objects; `json` reads about a thousand levels, too deep for the rest of this program
DIGITS = 300  # of a whole number; the largest float has 308
TOO_DEEP = "it is nested too deeply"
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


class NotJSON(ValueError):
    """The error for text that is not JSON; the message says why on one line."""


def loads(text: str | bytes, numbers: Callable[[str], Any] = float) -> Any:
    """The value of a JSON text; `numbers` reads numbers with a fraction or an exponent. Raises `NotJSON`."""
    try:
        if numbers is float and isinstance(text, str) and not text.startswith("\ufeff"):
            value = _DECODER.decode(text)
        else:  # `json.loads` decodes bytes and refuses a byte order mark
            value = json.loads(text, **{**_HOOKS, "parse_float": numbers})
    except (ValueError, RecursionError) as error:
        raise _as_not_json(error) from None
    if _brackets(text) > DEEPEST and deeper(value, DEEPEST):
        raise NotJSON(TOO_DEEP)
    return value


def check_size(file: Path, most_bytes: int) -> None:
    """Raise `NotJSON` for a file of more than `most_bytes`, and `OSError` for a missing one."""
    if file.stat().st_size > most_bytes:
        size = f"{most_bytes >> 20:,} MiB" if most_bytes >> 20 else f"{most_bytes:,} bytes"
        raise NotJSON(f"it has over {size}")


def check_values(data: bytes, most: int) -> None:
    """Raise `NotJSON` for a text with more than `most` values, each of which takes some hundred bytes of memory."""
    if _marks(data) > most and _marks(_STRING.sub(b"", data)) > most:
        raise NotJSON(f"it has more than {most:,} values")


def load(file: Path, most_bytes: int) -> Any:
    """The value of a JSON file of at most `most_bytes`. Raises `NotJSON`, and `OSError` if it cannot be read."""
    check_size(file, most_bytes)
    return loads(file.read_bytes())


def first(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at `start`, and the position where it ends.

    Raises `json.JSONDecodeError`, with the position, for text that is broken or cut off, and `NotJSON` for errors that
    more text cannot fix.
    """
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise _as_not_json(error) from None


def deeper(value: Any, levels: int) -> bool:
    """Whether lists and mappings of plain values are nested more than `levels` deep, or contain themselves."""
    if not isinstance(value, (dict, list, tuple)):
        return False
    items = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(deeper(value, levels - 1) for value in items)


def _marks(data: bytes) -> int:
    """The number of brackets and commas, an upper bound of the number of values."""
    return data.count(b",") + _brackets(data)


def _brackets(text: str | bytes) -> int:
    """The number of opening brackets, an upper bound of the depth."""
    return text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise NotJSON(f"an object has the key {max(counts, key=counts.__getitem__)[:80]!r} twice; leave one out")
    return fields


def _as_not_json(error: ValueError | RecursionError) -> NotJSON:
    if isinstance(error, NotJSON):
        return error
    if isinstance(error, RecursionError):
        return NotJSON(TOO_DEEP)
    return NotJSON(str(error))


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise NotJSON(f"it has a whole number of more than {DIGITS} digits")
    return int(digits)


_HOOKS: Mapping[str, Any] = {"object_pairs_hook": _unique_keys, "parse_int": _whole}
_DECODER = json.JSONDecoder(**_HOOKS)


class Record:
    """Base of records that choose the keys of their JSON: `KEYS`, in their order.

    A dotted key (`scores.intervals`) is an attribute of an attribute; its name is the last part, or the name before a
    colon (`recipe_a: a.recipe`).
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
    """Attributes as plain values; `keys` are as in `Record.KEYS`."""
    attributes = {key.partition(":")[0].rpartition(".")[2]: key.rpartition(": ")[2] for key in keys}
    return {
        name: plain_value(attrgetter(path)(record), leave_out)
        for name, path in attributes.items()
        if name not in leave_out
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
