"""The one writer of results: a page, a table for a paper, plain values or a plot, as a file or as text."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from longdoc.files import write_whole
from pipelines.display import csv, json_text, latex, markdown
from pipelines.display.view import RowsView, View
from pipelines.results.conditions.condition_table import ConditionTable
from pipelines.results.overviews.overview import Overview
from pipelines.results.reports import html, plots
from pipelines.results.reports.page import conditions, overview
from pipelines.results.reports.report_content import Content

TEXTS = {"html": "html", "htm": "html", "md": "markdown", "markdown": "markdown", "tex": "latex", "latex": "latex",
         "csv": "csv", "json": "json"}  # fmt: skip
FORMATS = {**TEXTS, "svg": "plot", "pdf": "plot", "png": "plot"}


def format_kind(
    file: Path | None, format: str | None, formats: Mapping[str, str] = FORMATS, noun: str = "format"
) -> str:
    """What is written: `format`, or else the ending of the file. Raises `UserError` for one that there is not."""
    ending = file.suffix.lstrip(".").lower() if file is not None else ""
    name = format or ending or "html"
    if name not in formats:
        raise unknown(noun, name, formats)
    if format and formats[format] == "plot" and file is not None and ending != format:
        raise UserError(f"a plot is what its file's ending says: --out {file.with_suffix('.' + format)}")
    return formats[name]


def write(view: View, file: Path | None, kind: str, is_typed: bool = True, **data: Any) -> Path | str:
    """Write a result to a file, or give its text. `data` are those of a page that shows passages. Raises `UserError`.

    `is_typed`: the user typed the file's path, which may be a link.
    """
    if file is None:
        return text(view, kind, Path())
    if kind == "plot":
        if isinstance(view, Content):
            plots.write(view, file)
        else:
            assert isinstance(view, ConditionTable)
            view.plot(file)
    elif kind == "html" and isinstance(view, Content):
        html.write(view, file, is_typed=is_typed, **data)
    else:
        write_whole(file.parent, file.name, text(view, kind, file.parent), is_typed)
    return file


def text(view: View, kind: str, home: Path) -> str:
    """A result as text; `home` is where a page will lie, for its links to the runs' pages."""
    if kind == "html":
        return page(view, home)
    if kind == "json":
        return json_text.text(view)
    if kind == "csv":
        assert isinstance(view, RowsView)
        return csv.rows_csv(view.flat_rows())
    if kind == "latex":
        return "\n".join(latex.table_latex(table, view.latex_caption(table)) for table in view.tables())
    return markdown.text(view)


def page(view: View, home: Path) -> str:
    """The page of a result."""
    if isinstance(view, ConditionTable):
        return conditions.page(view, home)
    if isinstance(view, Overview):
        return overview.page(view, home)
    assert isinstance(view, Content)
    return html.text(view)
