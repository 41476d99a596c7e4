"""Columns of own rows that nothing reads: where no row has a reference, one of them may hold the answers."""

from longdoc.errors import UserError
from pipelines.sources.own_data import answer_options, row_references
from pipelines.sources.tables import Row, Table

LABELS = (*row_references.FIELDS, *row_references.MARKS, "evidence")
READ = {
    *LABELS, *answer_options.FIELDS, *answer_options.LETTERS, "id", "title", "metadata", "document", "document_path",
    "story", "question", "query",
}  # fmt: skip


def check(table: Table, own_rows: Table) -> None:
    """Raise `UserError` where no row says its answer or evidence, and a column that is not read has values.

    `own_rows` are those of the table in the form of own rows. Rows that cannot be read are left to the pass over the
    examples, which says why.
    """
    columns: dict[str, None] = {}
    try:
        if any(field in LABELS for row in table.rows() for field in _filled(row)):
            return
        for row in own_rows.rows():
            filled = _filled(row)
            if any(field in LABELS for field in filled):
                return
            columns |= dict.fromkeys(field for field in filled if field not in READ)
    except UserError:
        return
    if columns:
        raise UserError(
            f"{table.name}: no row has a reference, and nothing reads {', '.join(columns)}: if that is the answer, "
            "rename it to `answers`; otherwise leave it out"
        )


def _filled(row: Row) -> list[str]:
    return [field for field, value in row.fields.items() if value not in answer_options.EMPTY_VALUES]
