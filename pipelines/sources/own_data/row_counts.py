"""What a person's own rows have, counted without reading their documents: a run is planned by it."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from longdoc.errors import UserError
from pipelines.sources.own_data import answer_options, row_references
from pipelines.sources.tables import Row

FIELDS = (*answer_options.FIELDS, "A", "B", *row_references.FIELDS, *row_references.MARKS)  # that are looked at


class RowCounts(NamedTuple):
    """How many rows there are, how many have answer options, and how many say that their question has no answer."""

    rows: int = 0
    with_options: int = 0
    unanswerable: int = 0

    def with_row(self, fields: Mapping[str, Any]) -> "RowCounts":
        """The counts with one row more."""
        return RowCounts(
            self.rows + 1,
            self.with_options + answer_options.has_options(fields),
            self.unanswerable + row_references.says_unanswerable(fields),
        )


def counted(rows: Iterable[Row]) -> RowCounts:
    """The counts of rows, up to one that cannot be read: the pass over the examples says why."""
    counts = RowCounts()
    try:
        for row in rows:
            counts = counts.with_row(row.fields)
    except UserError:
        pass
    return counts
