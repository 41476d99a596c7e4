"""Tables of rows, whatever they are stored as: JSON, CSV, TSV or Parquet files, or a `datasets.Dataset`."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from longdoc import archives
from longdoc.errors import UserError, listed
from longdoc.optional import need
from pipelines.sources import csv_rows, json_rows, parsing, reading
from pipelines.sources.reading import InputFile
from pipelines.sources.zips import Member

UNPACKED = (".json", ".jsonl", ".json.gz", ".jsonl.gz")  # what a published `.json.bz2` may have become
SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
ALIASES = {".ndjson": ".jsonl"}
SPREADSHEETS = (".xlsx", ".xls", ".ods", ".numbers")
PICKLES = (".pkl", ".pickle", ".joblib", ".pt", ".pth")
FREE = 1 << 20  # rows that any Parquet file may have
BATCH = 8  # rows held at once: each may carry a whole book
Read = Callable[[InputFile, Sequence[str]], Iterator[tuple[int, str, Mapping[str, Any]]]]


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its number (from 1; the line for JSON Lines), its location for messages, its fields.

    `has_text_cells`: every value is text, as in CSV; lists are JSON.
    """

    number: int
    location: str
    fields: Mapping[str, Any]
    has_text_cells: bool = False

    def string(self, name: str) -> str:
        """A field that must be text (see `parsing.string`). Raises `UserError`."""
        return parsing.string(self.fields.get(name), self.location, name)

    def strings(self, name: str) -> tuple[str, ...]:
        """A field that is text or a list of texts (see `parsing.strings`). Raises `UserError`."""
        return parsing.strings(self.fields.get(name), self.location, name)

    def refusal(self, need: str) -> UserError:
        """The error for a row that lacks something: what it needs, and the fields that it has."""
        return UserError(f"{self.location}: {need}; found {listed(self.fields) or 'nothing'}")


class Table(Protocol):
    """Rows that can be read again and again."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    @property
    def base(self) -> Path | None:
        """The folder that relative paths in rows start from; None where there is no such folder."""

    def rows(self, columns: Sequence[str] = ()) -> Iterator[Row]:
        """A new pass over the rows, with all fields or only some columns.

        A column `a.b.c` is a field of nested mappings; the row has it under that dotted name, None where it is absent.
        """


@dataclass(frozen=True, slots=True)
class DerivedTable:
    """A table made of another one's rows; a subclass defines `rows`."""

    table: Table

    @property
    def name(self) -> str:
        """The other's name."""
        return self.table.name

    @property
    def base(self) -> Path | None:
        """The other's folder."""
        return self.table.base


@dataclass(frozen=True, slots=True)
class Files:
    """One table in one or more files of the same layout, read in order."""

    paths: tuple[InputFile, ...]

    @property
    def name(self) -> str:
        """See `Table`."""
        return self.paths[0].name

    @property
    def base(self) -> Path:
        """See `Table`."""
        return self.paths[0].parent

    def rows(self, columns: Sequence[str] = ()) -> Iterator[Row]:
        """See `Table`. Raises `UserError` with file and line for what cannot be read."""
        before = 0
        for path in self.paths:
            number, has_text_cells = 0, kind(path) in (".csv", ".tsv")
            for number, location, fields in _READERS[kind(path)](path, columns):  # noqa: B007
                yield Row(before + number, location, fields, has_text_cells)
            before += number


def kind(path: InputFile) -> str:
    """The format by the file's name, compression aside: one of `SUFFIXES`. Raises `UserError` for others."""
    name = Path(path.stem) if path.suffix.lower() in reading.COMPRESSED else path
    suffix = _suffix(name.name)
    if suffix in PICKLES:
        raise UserError(
            f"{path.name} is a pickle, which could run code, so it is never loaded; save its texts as .txt, or as JSON"
        )
    if suffix == ".arrow":
        raise UserError(f"{path.name} is Arrow: {saved_rows(path.parent)}")
    if suffix in SPREADSHEETS:
        command = f"soffice --headless --convert-to csv {path.name}"
        raise UserError(f"{path.name} is a spreadsheet; save it as CSV in UTF-8, or type: {command} (LibreOffice)")
    if suffix not in SUFFIXES:
        raise UserError(
            f"{path.name} is not a supported kind of file; supported: {', '.join(SUFFIXES)} (also .bz2, .gz)"
        )
    return suffix


def saved_rows(folder: Path) -> str:
    """The command that converts a folder that `datasets` saved."""
    split = "['test']" if (folder / "dataset_dict.json").is_file() else ""
    rows = f"datasets.load_from_disk({str(folder)!r}){split}"
    return f"""type python -c "import datasets; {rows}.to_json('rows.jsonl')" and give rows.jsonl"""


def is_table(path: Path) -> bool:
    """Whether a file is a table, by its name."""
    name = path.stem if path.suffix.lower() in reading.COMPRESSED else path.name
    return _suffix(name) in SUFFIXES


_QUALITY = re.compile(r"QuALITY\..+\.(?:train|dev|test)")


def _suffix(name: str) -> str:
    """The ending of a file's name; QuALITY's files (`QuALITY.v1.0.1.dev`) are JSON Lines that end in their split."""
    suffix = Path(name).suffix.lower()
    return ".jsonl" if _QUALITY.fullmatch(name) else ALIASES.get(suffix, suffix)


def pick(fields: Mapping[str, Any], columns: Sequence[str]) -> Mapping[str, Any]:
    """The columns of a row, dotted names looked up in nested mappings; the whole row without columns."""
    if not columns:
        return fields
    values = {}
    for column in columns:
        value: Any = fields
        for name in column.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        values[column] = value
    return values


def arrow_rows(batch: Any, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """The rows of an Arrow batch or table; only the requested columns become Python objects."""
    if not columns:
        yield from batch.to_pylist()
        return
    values = [_column(batch, column.split(".")) for column in columns]
    for row in zip(*values, strict=True):
        yield dict(zip(columns, row, strict=True))


def _column(batch: Any, names: list[str]) -> list[Any]:
    import pyarrow.compute
    import pyarrow.types

    if names[0] not in batch.schema.names:
        return [None] * batch.num_rows
    array = batch.column(names[0])
    for name in names[1:]:
        if not pyarrow.types.is_struct(array.type) or array.type.get_field_index(name) < 0:
            return [None] * batch.num_rows
        array = pyarrow.compute.struct_field(array, name)
    return list(array.to_pylist())


def _json_rows(path: InputFile, columns: Sequence[str]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    is_list, number = json_rows.is_list(path), 0
    for line, fields in json_rows.objects(path):
        if is_page(fields):
            for row in _page_rows(fields, f"{path.name}:{line}"):
                number += 1
                yield number, f"{path.name}, row {number}", pick(row, columns)
            continue
        number = number + 1 if is_list else max(line, number + 1)
        yield number, f"{path.name}:{line}", pick(fields, columns)


def is_page(fields: Mapping[str, Any]) -> bool:
    """Whether an object is a page of rows from the hub's dataset viewer (its `/rows` and `/first-rows`).

    A page is `{"features": [...], "rows": [{"row_idx": 0, "row": {...}, "truncated_cells": []}]}`.
    """
    rows = fields.get("rows")
    if not isinstance(rows, list) or not rows:
        return False
    return all(isinstance(row, Mapping) and isinstance(row.get("row"), Mapping) for row in rows)


def _page_rows(page: Mapping[str, Any], location: str) -> Iterator[Mapping[str, Any]]:
    """The rows of a page. Raises `UserError` for one with a cell that was cut."""
    for row in page["rows"]:
        if cut := row.get("truncated_cells"):
            cells = f"{', '.join(map(str, cut))} of row {row.get('row_idx', '')}"
            raise UserError(f"{location}: the viewer cut the {cells}; download the dataset's files")
        yield row["row"]


def _csv_rows(path: InputFile, columns: Sequence[str]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    for number, location, fields in csv_rows.rows(path, is_tsv=kind(path) == ".tsv"):
        yield number, location, pick(fields, columns)


def _parquet_rows(path: InputFile, columns: Sequence[str]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    if isinstance(path, Member):
        raise UserError(f"{path} is Parquet, which cannot be read from a zip; unpack it and pass its path")
    parquet: Any = need("pyarrow.parquet", "tables", f"reading {path.name}")
    from pyarrow import ArrowException

    number = 0
    try:
        with parquet.ParquetFile(reading.existing(path), memory_map=True, pre_buffer=False) as file:
            csv_rows.check_columns(path, file.schema_arrow.names)
            _check_size(path, file.metadata)
            for batch in file.iter_batches(batch_size=BATCH, columns=list(columns) or None):
                for fields in arrow_rows(batch, columns):
                    number += 1
                    yield number, f"{path.name}, row {number}", fields
    except (ArrowException, OSError) as error:
        problem = str(error).splitlines()[0]
        raise UserError(f"{path} is not Parquet, or is damaged ({problem}); fetch or copy it again") from None


def _check_size(path: Path, metadata: Any) -> None:
    """Raise `UserError` for a file that is far larger when decompressed, or has more rows than bytes."""
    size = path.stat().st_size
    if metadata.num_rows > max(size, FREE):
        raise UserError(f"{path} claims {metadata.num_rows:,} rows in {size:,} bytes, so it was not read")
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    if sum(column.total_uncompressed_size for column in columns) > archives.max_size(size):
        raise archives.size_error(path, size)


_READERS: dict[str, Read] = {
    ".jsonl": _json_rows,
    ".json": _json_rows,
    ".csv": _csv_rows,
    ".tsv": _csv_rows,
    ".parquet": _parquet_rows,
}


def shards(paths: Sequence[Path]) -> list[tuple[Path, ...]]:
    """Files by table: parts (`name-00000-of-00003.parquet`) together. Raises `UserError` where one is missing."""
    groups: dict[str, list[Path]] = {}
    for path in sorted(paths):
        part = re.fullmatch(r"(.+)-\d{5}-of-(\d{5})(.*)", path.name)
        groups.setdefault(f"{path.parent}/{part[1]} of {part[2]}" if part else str(path), []).append(path)
    for files in groups.values():
        total = re.search(r"-of-(\d{5})", files[0].name)
        if total and re.search(r"-\d{5}-of-", files[0].name) and len(files) != int(total[1]):
            raise UserError(f"{files[0].parent} has {len(files)} of {int(total[1])} parts: {files[0].name} …")
    return [tuple(files) for files in groups.values()]
