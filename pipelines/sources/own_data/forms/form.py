"""A form of rows: its name, the fields it is recognized by, and how a row becomes own rows.

Cells of tables become values: lists and mappings that CSV files hold as JSON, and the missing values of NumPy.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from longdoc.errors import UserError
from pipelines.sources.own_data.row_references import cell_value
from pipelines.sources.tables import Row

Types = tuple[type[Any], ...]
TEXT: Types = (str,)
LIST: Types = (list,)
LISTS: Types = (list, Mapping)
_TYPE_NAMES: dict[Types, str] = {TEXT: "text", LIST: "a list", LISTS: "a list or a mapping"}

Fields = Mapping[str, Any]
TEXTS = ("document", "question", "query", "id", "title", "document_text", "question_text", "article", "passage", "text")
_PYTHON = ("['", "{'", "[array(", "array(")


@dataclass(frozen=True, slots=True)
class Form:
    """A form of rows.

    - `needs`: the fields that every row of it has, each with the types that it may be.
    - `own_rows`: from a row's fields and its location, rows with the fields that `own_data.rows` reads, one a question;
      raises `UserError` for fields that hold something else.
    - `asks`: whether its rows have a question. `several_questions`: whether a row may have more than one.
    """

    name: str
    needs: Mapping[str, Types]
    own_rows: Callable[[Fields, str], Iterator[Fields]]
    asks: bool = True
    several_questions: bool = False

    def problems(self, fields: Fields) -> list[str]:
        """The reasons why a row is not in this form, a phrase for each field; empty if it is."""
        return [problem for name, types in self.needs.items() if (problem := _problem(fields, name, types))]

    def present(self, fields: Fields) -> int:
        """The number of needed fields that a row has."""
        return sum(fields.get(name) is not None for name in self.needs)


def records(value: Any) -> list[Fields]:
    """A list of mappings, also from a mapping of lists, the hub's form of it; empty for anything else."""
    if isinstance(value, Mapping):
        columns = {name: column for name, column in value.items() if isinstance(column, list)}
        rows = zip(*columns.values(), strict=False)
        return [dict(zip(columns, row, strict=True)) for row in rows]
    if isinstance(value, list):
        return [record for record in value if isinstance(record, Mapping)]
    return []


def without_fields(fields: Fields, *names: str) -> dict[str, Any]:
    """The fields without some, which a form has under other names."""
    return {name: value for name, value in fields.items() if name not in names}


def _problem(fields: Fields, name: str, types: Types) -> str:
    value = fields.get(name)
    if value is None:
        return f"`{name}` is missing"
    return "" if isinstance(value, types) else f"`{name}` is of type {type(value).__name__}, not {_TYPE_NAMES[types]}"


def plain_fields(row: Row) -> Fields:
    """A row's fields, with JSON lists and objects in cells parsed, and NaN as None.

    Raises `UserError` for a cell with a list or mapping in Python's notation, as pandas writes them.
    """
    fields = parsed(row.fields) if row.has_text_cells else _with_question(row.fields)
    for name, value in fields.items() if row.has_text_cells else ():
        if name not in TEXTS and isinstance(value, str) and _is_python(value.strip()):
            raise UserError(
                f"{row.location}: `{name}` is a list or mapping in Python's notation, not in JSON; "
                "write the rows as JSON Lines or Parquet"
            )
    return {name: None if isinstance(value, float) and isnan(value) else value for name, value in fields.items()}


def parsed(fields: Fields) -> Fields:
    """The fields, with JSON lists and objects in texts parsed, and a `query` also as `question`."""
    values = {name: value if name in TEXTS else cell_value(name, value) for name, value in fields.items()}
    return _with_question(values)


def _with_question(fields: Fields) -> Fields:
    return fields if "question" in fields or "query" not in fields else {**fields, "question": fields["query"]}


def _is_python(value: str) -> bool:
    return value.startswith(_PYTHON) and value.endswith(("]", "}", ")"))
