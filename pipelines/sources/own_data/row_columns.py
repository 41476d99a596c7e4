"""What the columns of a user's own rows hold, looked at without reading their documents: counts, and unread columns."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from longdoc.errors import UserError
from pipelines.sources.own_data import answer_options, row_references
from pipelines.sources.tables import Row, Table

COUNTED = (*answer_options.FIELDS, "A", "B", *row_references.FIELDS, *row_references.MARKS)
LABELS = (*row_references.FIELDS, *row_references.MARKS, "evidence")
READ = {
    *LABELS, *answer_options.FIELDS, *answer_options.LETTERS, "id", "title", "metadata", "document", "document_path",
    "story", "question", "query",
}  # fmt: skip


class RowCounts(NamedTuple):
    """The numbers of all rows, of those with answer options, and of those marked as unanswerable."""

    rows: int = 0
    with_options: int = 0
    unanswerable: int = 0

    def with_row(self, fields: Mapping[str, Any]) -> "RowCounts":
        """The counts with one more row."""
        return RowCounts(
            self.rows + 1,
            self.with_options + answer_options.has_options(fields),
            self.unanswerable + row_references.says_unanswerable(fields),
        )


def counted(table: Table) -> RowCounts:
    """The counts of a table's rows, up to the first that cannot be read; reading the examples reports it."""
    counts = RowCounts()
    try:
        for row in table.rows(COUNTED):
            counts = counts.with_row(row.fields)
    except UserError:
        pass
    return counts


def check_unread(table: Table, own_rows: Table) -> None:
    """Raise `UserError` if no row has an answer or evidence, and a column that is not read has values.

    `own_rows` are the rows of `table` in the form of own rows. Rows that cannot be read are ignored; reading the
    examples reports them.
    """
    columns: dict[str, None] = {}
    try:
        if any(field in LABELS for row in table.rows() for field in _nonempty_fields(row)):
            return
        for row in own_rows.rows():
            fields = _nonempty_fields(row)
            if any(field in LABELS for field in fields):
                return
            columns |= dict.fromkeys(field for field in fields if field not in READ)
    except UserError:
        return
    if columns:
        raise UserError(
            f"{table.name}: no row has a reference, and nothing reads {', '.join(columns)}; if that is the answer, "
            "rename it to `answers`; otherwise leave it out"
        )


def _nonempty_fields(row: Row) -> list[str]:
    return [field for field, value in row.fields.items() if value not in answer_options.EMPTY_VALUES]
