"""Records as dictionaries and lists."""

from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from longdoc.plain_values import plain_fields, plain_value


@dataclass
class Inner:
    score: float
    run: Any = None


@dataclass
class Outer:
    folder: Path
    parts: tuple[Inner, ...]
    by_name: MappingProxyType[Any, Inner]
    warnings: list[str] = field(default_factory=list)


OUTER = Outer(Path("a/b"), (Inner(1.5, "x"),), MappingProxyType({1: Inner(2.0)}))


def test_records_mappings_sequences_and_paths_become_plain_values() -> None:
    assert plain_fields(OUTER) == {
        "folder": "a/b",
        "parts": [{"score": 1.5, "run": "x"}],
        "by_name": {"1": {"score": 2.0, "run": None}},
        "warnings": [],
    }


def test_fields_are_left_out_at_every_depth() -> None:
    assert plain_value(OUTER, leave_out=("run", "folder", "by_name")) == {"parts": [{"score": 1.5}], "warnings": []}


def test_other_values_stay_as_they_are() -> None:
    assert plain_value([1, 2.5, None, True, "text", Inner]) == [1, 2.5, None, True, "text", Inner]
