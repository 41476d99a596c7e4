"""Rows as CSV, in full precision, empty where there is no value; lines end with a line feed.

Spreadsheets run text that begins with = + - @ as a formula, whoever wrote it: such text gets an apostrophe before it
(OWASP, "CSV injection"). Numbers are left as they are.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.display import numbers

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as CSV under a header of the first row's keys."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_guarded(name) for name in rows[0]])
    writer.writerows([_value(value) for value in row.values()] for row in rows)
    return file.getvalue()


def _value(value: Any) -> Any:
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    return _guarded(numbers.setting(value))


def _guarded(value: str) -> str:
    """The text with an apostrophe before it if a spreadsheet would run it as a formula."""
    return f"'{value}" if value.startswith(FORMULA) else value
