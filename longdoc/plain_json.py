"""JSON from users' files; every problem raises one `ValueError` with a message of one line.

`json` itself raises other errors for integers of more than 4,300 digits and for values nested about a thousand deep,
and silently takes the last one of duplicate keys. All three are refused here, and integers that no float holds. `NaN`,
`Infinity` and `-Infinity` are not JSON, but Python, NumPy and pandas write them: they are read as numbers, and refused
only where a text is needed.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

DEEPEST = 100  # nested lists and objects; `json` reads about a thousand levels, too deep for the rest of this program
DIGITS = 300  # of a whole number: floats hold 308
TOO_DEEP = "it is nested too deeply"
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


class NotJSON(ValueError):
    """Text that cannot be read as JSON; the message is one line and says why."""


def loads(text: str | bytes, numbers: Callable[[str], Any] = float) -> Any:
    """The one value of a text; `numbers` makes those with a fraction or an exponent. Raises `NotJSON`."""
    try:
        if numbers is float and isinstance(text, str) and not text.startswith("\ufeff"):
            value = _DECODER.decode(text)
        else:  # bytes are decoded, a mark is refused
            value = json.loads(text, **{**_HOOKS, "parse_float": numbers})
    except (ValueError, RecursionError) as error:
        raise _as_not_json(error) from None
    if _brackets(text) > DEEPEST and deeper(value, DEEPEST):
        raise NotJSON(TOO_DEEP)
    return value


def check_size(file: Path, most_bytes: int) -> None:
    """Raise `NotJSON` for a file that is larger than what is read whole. Raises `OSError` where there is none."""
    if file.stat().st_size > most_bytes:
        size = f"{most_bytes >> 20:,} MiB" if most_bytes >> 20 else f"{most_bytes:,} bytes"
        raise NotJSON(f"it has over {size}")


def check_values(data: bytes, most: int) -> None:
    """Raise `NotJSON` where more than so many values stand in a text: each takes some hundred bytes of memory."""
    if _marks(data) > most and _marks(_STRING.sub(b"", data)) > most:
        raise NotJSON(f"it has more than {most:,} values")


def load(file: Path, most_bytes: int) -> Any:
    """The one value of a file of at most so many bytes. Raises `NotJSON`, and `OSError` where it cannot be read."""
    check_size(file, most_bytes)
    return loads(file.read_bytes())


def first(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at `start`, and the position where it ends.

    Raises `json.JSONDecodeError`, with the position, for text that is broken or cut off, and `NotJSON` for what more
    text could not fix.
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
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(deeper(value, levels - 1) for value in inside)


def _marks(data: bytes) -> int:
    """The number of brackets and commas: of values, at most."""
    return data.count(b",") + _brackets(data)


def _brackets(text: str | bytes) -> int:
    """The number of opening brackets: an upper bound of the depth, quickly counted."""
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
