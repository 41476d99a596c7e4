"""A report as CSV: one row a run, every figure with its bounds, its difference and p value.

A spreadsheet takes text that begins with = + - @ for a formula and runs it, whoever wrote it: such text gets an
apostrophe before it (OWASP, "CSV injection"). Numbers are left as they are.
"""

import csv
import io
from typing import Any

from pipelines.results.comparisons.summary import flat
from pipelines.results.display import numbers
from pipelines.results.reports.content import Content

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def text(content: Content) -> str:
    """A heading and one line a run, full precision, empty where there is no value; lines end with a line feed."""
    rows = flat(content.runs, content.metric, content.axes)
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
    return f"'{value}" if value.startswith(FORMULA) else value
