"""Rows of a `datasets.Dataset`, in any of the layouts that files of rows may have."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from pipelines.sources._splits import NoSplit, canonical
from pipelines.sources._tables import BATCH, Row, arrow_rows


@dataclass(frozen=True, slots=True)
class DatasetTable:
    """A `datasets.Dataset` as a table; its rows are in no folder, so document paths must be absolute."""

    data: Any
    name: str = "the dataset"
    base: None = None

    def rows(self, columns: Sequence[str] = ()) -> Iterator[Row]:
        """See `pipelines.sources._tables.Table`."""
        number = 0
        for table in self.data.with_format("arrow").iter(batch_size=BATCH):
            for fields in arrow_rows(table, columns):
                number += 1
                yield Row(number, f"{self.name}, row {number}", fields)

    def fingerprint(self) -> dict[str, Any]:
        """The fingerprint that `datasets` gives the data, and the number of rows."""
        return {"dataset": self.data._fingerprint, "rows": self.data.num_rows}


def recognizes(data: Any) -> bool:
    """Whether `data` is a `datasets.Dataset` or `DatasetDict`, checked without importing `datasets`."""
    library = sys.modules.get("datasets")
    return library is not None and isinstance(data, (library.Dataset, library.DatasetDict))


def table(data: Any, split: str) -> DatasetTable:
    """The table of a dataset, of a `DatasetDict` the split's. Raises `UserError` naming the splits it has."""
    if not isinstance(data, Mapping):
        return DatasetTable(data)
    entries = [name for name in data if canonical(name) == split]
    if not entries:
        raise NoSplit(f"the DatasetDict has no split {split!r}; it has {', '.join(data)}")
    if len(entries) > 1:
        raise UserError(
            f"the DatasetDict has the split {split!r} more than once, as {', '.join(entries)}: leave one out"
        )
    return DatasetTable(data[entries[0]], f"split {entries[0]} of the dataset")
