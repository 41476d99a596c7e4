"""Rows as Python objects: a `datasets.Dataset`, a list of mappings, a pandas or polars frame.

They may be in any of the layouts that files of rows have. They are in no folder, so document paths must be absolute.
No library is imported to recognize its objects.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from longdoc.errors import UserError
from pipelines.sources.split_names import NoSplit, canonical
from pipelines.sources.tables import BATCH, Row, arrow_rows, pick

FRAMES = {"pandas": "DataFrame", "polars": "DataFrame"}  # classes by library


def recognizes(data: Any) -> bool:
    """Whether `data` is a dataset, a frame, or a list (or tuple) whose first item is a mapping."""
    return is_dataset(data) or are_rows(data)


def table(data: Any, split: str) -> "DatasetTable | PythonRows":
    """The rows as a table; for a `DatasetDict`, those of the split."""
    return _dataset_table(data, split) if is_dataset(data) else _rows_table(data)


@dataclass(frozen=True, slots=True)
class DatasetTable:
    """A `datasets.Dataset` as a table."""

    data: Any
    name: str = "the dataset"
    base: None = None

    def rows(self, columns: Sequence[str] = ()) -> Iterator[Row]:
        """See `pipelines.sources.tables.Table`."""
        number = 0
        for table in self.data.with_format("arrow").iter(batch_size=BATCH):
            for fields in arrow_rows(table, columns):
                number += 1
                yield Row(number, f"{self.name}, row {number}", fields)

    def fingerprint(self) -> dict[str, Any]:
        """The fingerprint that `datasets` gives the data, and the number of rows."""
        return {"dataset": self.data._fingerprint, "rows": self.data.num_rows}


@dataclass(frozen=True, slots=True)
class PythonRows:
    """Rows in memory as a table."""

    data: Sequence[Mapping[str, Any]]
    name: str = "data="
    base: None = None

    def rows(self, columns: Sequence[str] = ()) -> Iterator[Row]:
        """See `pipelines.sources.tables.Table`."""
        for number, fields in enumerate(self.data, 1):
            yield Row(number, f"{self.name}, row {number}", pick(fields, columns))

    def fingerprint(self) -> dict[str, Any]:
        """The number of rows, the bytes that they have as JSON, and the SHA-256 of these."""
        content, size = sha256(), 0
        for row in self.data:
            line = json.dumps(row, sort_keys=True, default=str).encode() + b"\n"
            content.update(line)
            size += len(line)
        return {"rows": len(self.data), "size": size, "sha256": content.hexdigest()}


def is_dataset(data: Any) -> bool:
    """Whether `data` is a `datasets.Dataset` or `DatasetDict`."""
    library = sys.modules.get("datasets")
    return library is not None and isinstance(data, (library.Dataset, library.DatasetDict))


def is_frame(data: Any) -> bool:
    """Whether `data` is a pandas or polars frame."""
    return any(isinstance(data, getattr(sys.modules[name], cls)) for name, cls in FRAMES.items() if name in sys.modules)


def are_rows(data: Any) -> bool:
    """Whether `data` is a frame, or a list (or tuple) whose first item is a mapping."""
    return is_frame(data) or (isinstance(data, (list, tuple)) and len(data) > 0 and isinstance(data[0], Mapping))


def _dataset_table(data: Any, split: str) -> DatasetTable:
    """The table of a dataset, or of the split of a `DatasetDict`. Raises `NoSplit` if it has no such split."""
    if not isinstance(data, Mapping):
        return DatasetTable(data)
    matching_names = [name for name in data if canonical(name) == split]
    if not matching_names:
        raise NoSplit(f"the DatasetDict has no split {split!r}; it has {', '.join(data)}")
    if len(matching_names) > 1:
        raise UserError(
            f"the DatasetDict has the split {split!r} more than once, as {', '.join(matching_names)}; leave one out"
        )
    return DatasetTable(data[matching_names[0]], f"split {matching_names[0]} of the dataset")


def _rows_table(data: Any) -> PythonRows:
    """The rows as a table. Raises `UserError` for an item of a list that is not a mapping.

    Missing cells of a pandas frame (NaN, NaT, NA) are None, its arrays lists and its numbers Python's.
    """
    rows: Iterable[Any] = data
    if is_frame(data):
        kind = type(data).__module__.partition(".")[0]
        rows = data.to_dicts() if kind == "polars" else data.to_dict("records")
    return PythonRows([_fields(row, number) for number, row in enumerate(rows, 1)])


def _fields(row: Any, number: int) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise UserError(f"item {number} of data= is a {type(row).__name__}, not a dict; give dicts only")
    return {str(name): _plain_value(value) for name, value in row.items()}


def _plain_value(value: Any) -> Any:
    """A cell as a JSON value: arrays as lists, NumPy's numbers as Python's, missing values as None."""
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain_value(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_value(item) for item in value]
    if callable(to_list := getattr(value, "tolist", None)):  # numpy's arrays and numbers
        return _plain_value(to_list())
    return None if value != value or type(value).__name__ in ("NAType", "NaTType") else value  # NaN is not itself
