"""CSV files with the separators and encodings of other countries' spreadsheets and of other programs."""

from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.sources import tables
from tests.turns import for_each


def rows(path: Path) -> list[tuple[str, dict[str, Any]]]:
    return [(row.location, dict(row.fields)) for row in tables.Files((path,)).rows()]


@for_each(
    ("text", "line"),
    [
        ("a,b\r\nx,1\r\n", 2),
        ("a;b\r\nx;1\r\n", 2),
        ('"a";"b"\n"x";"1"\n', 2),
        ("a\tb\nx\t1\n", 2),
        ("sep=;\r\na;b\r\nx;1\r\n", 3),
        ("sep=|\na|b\nx|1\n", 3),
    ],
)
@for_each("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_header_shows_what_separates_the_cells(tmp_path: Path, text: str, line: int, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    assert rows(tmp_path / "a.csv") == [(f"a.csv:{line}", {"a": "x", "b": "1"})]


def test_separators_in_quotes_do_not_separate(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"name; first; last","age"\n"x;y",1\n')
    assert rows(tmp_path / "a.csv") == [("a.csv:2", {"name; first; last": "x;y", "age": "1"})]


def test_a_tsv_file_has_tabs_whatever_its_header_holds(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a,b,c\nx,1\n")
    assert rows(tmp_path / "a.tsv") == [("a.tsv:2", {"a,b,c": "x,1"})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;b\n1;2;3\n", "a.csv:2: 3 cells, but the header has 2; put a cell with semicolons in quotes"),
        ("sep=;\na;b\n1\n", "a.csv:3: 1 cells, but the header has 2; put a cell with semicolons in quotes"),
        (
            "a,b\r1,2\r",
            "a.csv:1: not CSV: lines end in carriage returns alone; if they are a Macintosh's, type: "
            r"tr '\r' '\n' < a.csv > lines-a.csv",
        ),
    ],
)
def test_malformed_files_are_refused_with_the_command_or_the_separator(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode())
    with pytest.raises(UserError) as refused:
        rows(tmp_path / "a.csv")
    assert str(refused.value) == message


def test_ndjson_is_another_name_of_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"a": 1}\n\n{"a": 2}\n')
    assert rows(tmp_path / "a.ndjson") == [("a.ndjson:1", {"a": 1}), ("a.ndjson:3", {"a": 2})]
