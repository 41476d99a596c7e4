"""Cells of tables as values: lists and mappings that CSV files hold as JSON, and the missing values of NumPy."""

from math import isnan

from longdoc.errors import UserError
from pipelines.sources._tables import Row
from pipelines.sources.own_data.forms.form import Fields
from pipelines.sources.own_data.row_references import cell_value

TEXTS = ("document", "question", "query", "id", "title", "document_text", "question_text", "article", "passage", "text")
_PYTHON = ("['", "{'", "[array(", "array(")


def plain_fields(row: Row) -> Fields:
    """A row's fields: cells with JSON lists or objects as these, NaN as nothing.

    Raises `UserError` for a cell with a list or mapping in Python's notation, which is how pandas writes them.
    """
    fields = parsed(row.fields) if row.has_text_cells else _with_question(row.fields)
    for name, value in fields.items() if row.has_text_cells else ():
        if name not in TEXTS and isinstance(value, str) and _is_python(value.strip()):
            raise UserError(
                f"{row.location}: `{name}` is a list or mapping in Python's notation, not JSON, and would be "
                "taken for a text: write the rows as JSON Lines or Parquet"
            )
    return {name: None if isinstance(value, float) and isnan(value) else value for name, value in fields.items()}


def parsed(fields: Fields) -> Fields:
    """The fields, texts that are JSON lists or objects as these, and a `query` also as `question`."""
    values = {name: value if name in TEXTS else cell_value(name, value) for name, value in fields.items()}
    return _with_question(values)


def _with_question(fields: Fields) -> Fields:
    return fields if "question" in fields or "query" not in fields else {**fields, "question": fields["query"]}


def _is_python(value: str) -> bool:
    return value.startswith(_PYTHON) and value.endswith(("]", "}", ")"))
