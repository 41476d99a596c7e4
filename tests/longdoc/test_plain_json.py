"""JSON from users' files: every problem is one error of one line. Records become dictionaries and lists."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from longdoc import plain_json
from longdoc.plain_json import NotJSON, plain_fields, plain_value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": ' + "9" * 301 + "}", "it has a whole number of more than 300 digits"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[" * 101 + "]" * 101, "it is nested too deeply"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "it is nested too deeply"),
        ('{"a": 1, "b": 2, "a": 3}', "an object has the key 'a' twice; leave one out"),
        ('[{"a": {"b": 1, "b": 1}}]', "an object has the key 'b' twice; leave one out"),
        ("[1,", "Expecting value: line 1 column 4 (char 3)"),
        (b'"\xff"', "'utf-8' codec can't decode byte 0xff in position 1: invalid start byte"),
    ],
)
def test_every_problem_is_one_error_of_one_line(text: str | bytes, message: str) -> None:
    with pytest.raises(NotJSON) as refused:
        plain_json.loads(text)
    assert str(refused.value) == message


def test_100_nested_lists_are_read_and_any_number_side_by_side() -> None:
    value = plain_json.loads("[" * 100 + "]" * 100)
    assert plain_json.deeper(value, 99)
    assert not plain_json.deeper(value, 100)
    assert plain_json.loads("[" + "[]," * 1000 + "1]")[-2:] == [[], 1]


def test_a_number_of_300_digits_is_read() -> None:
    assert plain_json.loads("9" * 300) == 10**300 - 1


def test_nan_and_infinity_are_read_as_numbers() -> None:
    not_a_number, infinity, minus_infinity = plain_json.loads("[NaN, Infinity, -Infinity]")
    assert math.isnan(not_a_number)
    assert (infinity, minus_infinity) == (math.inf, -math.inf)


def test_a_value_within_a_text_is_read_with_its_end_and_an_error_has_its_position() -> None:
    assert plain_json.first('x{"a": 1}y', 1) == ({"a": 1}, 9)
    with pytest.raises(json.JSONDecodeError) as broken:
        plain_json.first("x[1 2]", 1)
    assert broken.value.pos == 4
    with pytest.raises(NotJSON, match="twice"):
        plain_json.first('x{"a": 1, "a": 1}', 1)


def test_depth_counts_lists_and_mappings_and_works_for_a_value_that_contains_itself() -> None:
    value = {"a": [1, [2]]}
    assert not plain_json.deeper(value, 3)
    assert plain_json.deeper(value, 2)
    value["a"].append(value)
    assert plain_json.deeper(value, 100)


def test_a_file_over_the_size_limit_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_text('{"a": 1}', encoding="utf-8")
    assert plain_json.load(file, 8) == {"a": 1}
    with pytest.raises(NotJSON, match="it has over 7 bytes"):
        plain_json.load(file, 7)
    with file.open("ab") as stream:
        stream.truncate((1 << 20) + 1)
    with pytest.raises(NotJSON, match="it has over 1 MiB"):
        plain_json.check_size(file, 1 << 20)
    with pytest.raises(OSError):
        plain_json.load(tmp_path / "none.json", 8)


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
