"""A report as CSV: one row per run, every score with its interval, its difference and p value; warnings where a run has
any.

Spreadsheets run text that begins with = + - @ as a formula, whoever wrote it: such text gets an apostrophe before it
(OWASP, "CSV injection"). Numbers are left as they are.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.display import numbers
from pipelines.results.comparisons.summary import flat_rows
from pipelines.results.reports.content import Content

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def text(content: Content) -> str:
    """A header and one line per run, in full precision, empty where there is no value; lines end with a line feed."""
    rows = flat_rows(content.runs, content.primary_metric, content.axes)
    if any(run.warnings for run in content.runs):
        rows = [row | {"warnings": "; ".join(run.warnings)} for row, run in zip(rows, content.runs, strict=True)]
    return rows_csv(rows)


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """A header of the first row's keys, and one line per row."""
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
