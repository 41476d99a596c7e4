"""Checks that a record read from a file has the right fields with the right types of values.

A test returns whether one value is valid. JSON has no tuples, so lists and tuples are the same here.
"""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

LARGEST = 1e15  # of a number from a file: beyond it sums and squares lose their digits, or overflow
Test = Callable[[Any], bool]


class Malformed(ValueError):
    """A record with a missing or invalid field; the message names it."""


def check(record: Any, required: Mapping[str, Test], optional: Mapping[str, Test] | None = None) -> None:
    """Raise `Malformed` unless a mapping has the required fields, and all values pass their tests."""
    if not isinstance(record, Mapping):
        raise Malformed(f"a {type(record).__name__} instead of an object")
    for name, fits in {**(optional or {}), **required}.items():
        if name not in record:
            if name in required:
                raise Malformed(f"no field {name!r}")
        elif not fits(record[name]):
            raise Malformed(f"the field {name!r} is not what it must be")


def text(value: Any) -> bool:
    """Whether it is a string."""
    return isinstance(value, str)


def number(value: Any) -> bool:
    """Whether it is a number from -`LARGEST` to `LARGEST`, or NaN or infinity, which stand for none."""
    return isinstance(value, (int, float)) and not LARGEST < abs(value) < inf


def count(value: Any) -> bool:
    """Whether it is a whole number of at least 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def maybe(fits: Test) -> Test:
    """Whether it is null or passes."""
    return lambda value: value is None or fits(value)


def each_item(fits: Test) -> Test:
    """Whether it is a list whose items pass."""
    return lambda value: isinstance(value, (list, tuple)) and all(map(fits, value))


def row(*tests: Test) -> Test:
    """Whether it is a list of as many items as there are tests, each of which passes its own."""
    return lambda value: (
        isinstance(value, (list, tuple))
        and len(value) == len(tests)
        and all(fits(item) for fits, item in zip(tests, value, strict=True))
    )


def mapping(fits: Test) -> Test:
    """Whether it is an object whose values pass."""
    # most are dictionaries, which is told sooner than whether something is a mapping
    return lambda value: isinstance(value, (dict, Mapping)) and all(map(fits, value.values()))
