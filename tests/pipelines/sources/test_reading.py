"""Files as text: what is accepted, and what is refused with the place and what to do."""

import bz2
import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines.sources import json_rows, reading, tables
from tests.turns import for_each

TEXT = "Où est-il?\r\nIci – là.\u2028Fin.\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom"])
def test_utf_8_and_marked_utf_16_are_read_with_their_line_ends(tmp_path: Path, encoding: str) -> None:
    data = b"\xff\xfe" + TEXT.encode("utf-16-le") if encoding == "utf-16-le-bom" else TEXT.encode(encoding)
    (tmp_path / "a.txt").write_bytes(data)
    assert reading.text(tmp_path / "a.txt") == TEXT
    assert list(reading.lines(tmp_path / "a.txt")) == ["Où est-il?\r\n", "Ici – là.\u2028Fin.\n"]


@pytest.mark.parametrize(("name", "pack"), [("a.txt.bz2", bz2.compress), ("a.txt.gz", gzip.compress)])
def test_compressed_text_is_read(tmp_path: Path, name: str, pack: object) -> None:
    (tmp_path / name).write_bytes(pack(TEXT.encode()))  # type: ignore[operator]
    assert reading.text(tmp_path / name) == TEXT


def test_characters_that_straddle_two_pieces_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BLOCK", 1)
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8", newline="")
    assert reading.text(tmp_path / "a.txt") == TEXT
    assert list(reading.lines(tmp_path / "a.txt")) == ["Où est-il?\r\n", "Ici – là.\u2028Fin.\n"]


@pytest.mark.parametrize("block", [1, 4, 1 << 20])
def test_a_badly_encoded_file_is_refused_with_the_offset_and_the_command_that_converts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(reading, "BLOCK", block)
    (tmp_path / "a.txt").write_bytes("Là, caf".encode() + b"\xe9 noir")
    with pytest.raises(UserError, match=r"a.txt is not UTF-8: the byte at offset 8 .*iconv -f WINDOWS-1252 -t UTF-8"):
        reading.text(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a.txt is empty"),
        (b"abc\0def", "is binary, not text; it has a zero byte at offset 3"),
        (b"PAR1....", r"has the first bytes of a \.parquet file; give it that ending"),
        (bz2.compress(b"x"), r"has the first bytes of a \.bz2 file"),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(UserError, match=message):
        reading.text(tmp_path / "a.txt")


def test_a_missing_file_is_refused_with_the_nearest_names(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").touch()
    with pytest.raises(UserError, match=r"there is no 'question.jsonl' in .*; did you mean questions.jsonl?"):
        reading.text(tmp_path / "question.jsonl")
    with pytest.raises(UserError, match=r"there is no .*, nor its folder"):
        reading.text(tmp_path / "nowhere" / "a.txt")


@pytest.mark.parametrize(("name", "pack"), [("a.bz2", bz2.compress), ("a.gz", gzip.compress)])
def test_a_cut_compressed_file_is_refused(tmp_path: Path, name: str, pack: object) -> None:
    (tmp_path / name).write_bytes(pack(TEXT.encode())[:-6])  # type: ignore[operator]
    with pytest.raises(UserError, match="ends in the middle of its compressed data"):
        reading.text(tmp_path / name)


ROWS = [{"a": "“1”"}, {"a": [1, {"b": ']}\\"'}]}, {"a": None}]


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"a": "“1”"}\n{"a": [1, {"b": "]}\\\\\\""}]}\n\n{"a": null}', [1, 2, 4]),
        ('[{"a": "“1”"}, {"a": [1, {"b": "]}\\\\\\""}]}, {"a": null}]', [1, 1, 1]),
        ('\n[\n {"a":\n "“1”"},\n {"a": [1, {"b": "]}\\\\\\""}]},\n {"a": null}\n]\n', [3, 5, 6]),
        ('{\n "a": "“1”"\n}\n{"a": [1, {"b": "]}\\\\\\""}]} {"a": null}\n', [1, 4, 4]),
    ],
)
def test_json_lines_lists_and_spread_objects_are_read_with_the_lines_they_begin_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, lines: list[int], block: int
) -> None:
    monkeypatch.setattr(reading, "BLOCK", block)
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert list(json_rows.objects(tmp_path / "a.json")) == list(zip(lines, ROWS, strict=True))


@for_each("block", [30, 1 << 20])
@for_each(
    ("text", "good", "message"),
    [
        ('{"a": 1}\n{"a": "x', 1, "a.json:2: the file ends in the middle of the row that begins here"),
        ('{"a": 1}\n{"a": tr', 1, "a.json:2: the file ends in the middle of the row that begins here"),
        ('[{"a": 1},\n{"a": 1}', 2, "a.json:2: the file ends in the middle"),
        ('{"a": 1}\n{"a": "x\n{"a": 1, "b": 2222222}\n{"a": 1}', 1, "a.json:2: not JSON: Invalid control character"),
        ('{"a": 1}\n{a: 1, "b": 2222222222}\n', 1, "a.json:2: not JSON: Expecting property name"),
        ('[{"a": 1}\n{"a": 1}]', 1, "a.json:2: not JSON: a comma is missing"),
        ('[{"a": 1}]\n{"a": 1}', 1, "a.json:2: not JSON: text after the end of the list"),
        ('{"a": 1}\n[1]\n', 1, "a.json:2: the row is a list, not an object"),
        ('{"a": 1}\n' + '{"a":' * 100_000, 1, "a.json:2: not JSON: it is nested too deeply"),
        ("Once upon a time there was a file\n", 0, "a.json:1: not JSON: Expecting value"),
    ],
)
def test_invalid_json_is_refused_at_its_line_after_the_rows_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, good: int, message: str, block: int
) -> None:
    monkeypatch.setattr(reading, "BLOCK", block)
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    rows = json_rows.objects(tmp_path / "a.json")
    for _ in range(good):
        assert next(rows)[1] == {"a": 1}
    with pytest.raises(UserError, match=message):
        next(rows)


def test_a_json_list_is_read_in_pieces(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" + ",".join(['{"a": "' + "x" * 500 + '"}'] * 8_000) + "]")
    import tracemalloc

    tracemalloc.start()
    assert sum(1 for _ in json_rows.objects(tmp_path / "a.json")) == 8_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 << 22  # of a file of four million bytes, a few blocks


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.jsonl",
            '{"n": ' + "9" * 5000 + "}",
            "a.jsonl:1: not JSON: it has a whole number of more than 300 digits",
        ),
        ("a.jsonl", '{"a": 1}\n{"b": 1, "b": 2}', "a.jsonl:2: not JSON: an object has the key 'b' twice"),
        ("a.json", '[{"b": 1, "b": 2}]', "a.json:1: not JSON: an object has the key 'b' twice"),
        ("a.csv", "a,b,a\n1,2,3\n", "a.csv has 2 columns 'a'; rename them, or leave out all but one"),
        ("a.tsv", "a\tb\t a \n1\t2\t3\n", "a.tsv has 2 columns 'a'; rename them, or leave out all but one"),
    ],
)
def test_long_numbers_and_repeated_names_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        list(tables.Files((tmp_path / name,)).rows())


def test_a_parquet_file_with_a_column_twice_is_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.Table.from_arrays([pyarrow.array(["x"]), pyarrow.array(["y"])], names=["a", "a"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(UserError, match=r"a.parquet has 2 columns 'a'"):
        list(tables.Files((tmp_path / "a.parquet",)).rows())


def test_columns_without_a_name_are_no_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,,\n1,2,3\n")
    (row,) = tables.Files((tmp_path / "a.csv",)).rows(["a"])
    assert row.fields == {"a": "1"}


def write_packed(path: Path, *parts: bytes) -> Path:
    with gzip.open(path, "wb") as file:
        for part in parts:
            file.write(part)
    return path


@pytest.mark.parametrize(
    ("name", "parts", "message"),
    [
        ("a.jsonl.gz", [b'{"a": "', b"x" * 4000, b'"}'], "the value that begins here has more than 1,000 characters"),
        ("a.jsonl.gz", [b" " * 4000], "more than 500 characters of white space only"),
        ("a.csv.gz", [b"a,b\n", b"x" * 4000, b",1\n"], "one of its lines has more than 1,000 characters"),
        ("a.csv.gz", [b'a,b\n"', b"x\n" * 4000, b'",1\n'], "field larger than field limit"),
        ("a.csv.gz", [b"a,b\n", b"\n" * 4000], "more than 500 empty lines in a row"),
    ],
)
def test_a_file_that_unpacks_to_one_long_line_value_or_blank_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, parts: list[bytes], message: str
) -> None:
    for limit, value in {"LONGEST": 1_000, "BLANKS": 500, "BLOCK": 100}.items():
        monkeypatch.setattr(reading, limit, value)
    monkeypatch.setattr(json_rows, "BLANKS", 500)
    with pytest.raises(UserError, match=message):
        list(tables.Files((write_packed(tmp_path / name, *parts),)).rows())


def test_many_rows_are_no_long_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST", 1_000)
    path = write_packed(tmp_path / "a.jsonl.gz", b'{"a": "words"}\n' * 5_000)
    assert sum(1 for _ in tables.Files((path,)).rows()) == 5_000


def test_a_text_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST", 1_000)
    path = write_packed(tmp_path / "a.txt.gz", b"words " * 4_000)
    for read in (lambda: reading.text(path), lambda: reading.text_in(path, ["utf-8"])):
        with pytest.raises(UserError, match="it has more than 1,000 characters; cut it into smaller parts"):
            read()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.csv.gz", "a.jsonl.bz2"])
def test_300_mb_of_blanks_are_refused_within_500_mb(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with (gzip if name.endswith("gz") else bz2).open(path, "wb") as file:
        for _ in range(300):
            file.write(b" " * 1_000_000)
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); from pathlib import Path; "
    )
    code += "from longdoc.errors import UserError; from pipelines.sources.tables import Files\n"
    code += "try: list(Files((Path(sys.argv[1]),)).rows())\nexcept UserError as error: print(error)\n"
    code += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    completed = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    message, kilobytes = completed.stdout.splitlines()
    assert "more than" in message
    assert int(kilobytes) < 500_000


def test_a_parquet_file_with_more_rows_than_bytes_or_that_becomes_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="no pyarrow")
    parquet, path = pytest.importorskip("pyarrow.parquet"), tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"document": ["a text"] * 100_000}), path)
    read = tables.Files((path,)).rows
    assert next(iter(read())).fields == {"document": "a text"}
    monkeypatch.setattr("pipelines.sources.tables.FREE", 1)
    with pytest.raises(UserError, match=r"a.parquet claims 100,000 rows in [\d,]+ bytes, so it was not read"):
        next(iter(read()))
    parquet.write_table(pyarrow.table({"document": ["a" * 1_000_000]}), path, use_dictionary=False)
    monkeypatch.setattr("longdoc.archives.FREE", 1_000)
    monkeypatch.setattr("longdoc.archives.RATIO", 10)
    with pytest.raises(UserError, match=r"a.parquet becomes more than [\d,]+ bytes, the bound for [\d,]+ compressed"):
        next(iter(read()))
