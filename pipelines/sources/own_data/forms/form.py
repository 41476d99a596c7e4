"""What a form of rows is: its name, the fields it is recognized by, and how a row becomes own rows."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Types = tuple[type[Any], ...]
TEXT: Types = (str,)
LIST: Types = (list,)
LISTS: Types = (list, Mapping)
_TYPE_NAMES: dict[Types, str] = {TEXT: "text", LIST: "a list", LISTS: "a list or a mapping"}

Fields = Mapping[str, Any]


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
        """What keeps a row from being of this form, a phrase for each field; empty where it is."""
        return [problem for name, types in self.needs.items() if (problem := _problem(fields, name, types))]

    def present(self, fields: Fields) -> int:
        """How many of the needed fields a row has."""
        return sum(fields.get(name) is not None for name in self.needs)


def records(value: Any) -> list[Fields]:
    """A list of mappings; also from a mapping of lists, as which the hub stores them. Empty for anything else."""
    if isinstance(value, Mapping):
        columns = {name: column for name, column in value.items() if isinstance(column, list)}
        rows = zip(*columns.values(), strict=False)
        return [dict(zip(columns, row, strict=True)) for row in rows]
    if isinstance(value, list):
        return [record for record in value if isinstance(record, Mapping)]
    return []


def without_fields(fields: Fields, *names: str) -> dict[str, Any]:
    """The fields but for some, which a form has under other names."""
    return {name: value for name, value in fields.items() if name not in names}


def _problem(fields: Fields, name: str, types: Types) -> str:
    value = fields.get(name)
    if value is None:
        return f"`{name}` is missing"
    return "" if isinstance(value, types) else f"`{name}` is of type {type(value).__name__}, not {_TYPE_NAMES[types]}"
