"""Writes results as a page, a table, plain values or a plot, to a file or as text."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from longdoc.files import write_whole
from pipelines.display import csv, json_text, latex, markdown
from pipelines.display.view import RowsView, View
from pipelines.results.reports import html
from pipelines.results.reports.report_content import Content

TEXTS = {"html": "html", "htm": "html", "md": "markdown", "markdown": "markdown", "tex": "latex", "latex": "latex",
         "csv": "csv", "json": "json"}  # fmt: skip
FORMATS = {**TEXTS, "svg": "plot", "pdf": "plot", "png": "plot"}


def format_kind(
    file: Path | None, format: str | None, formats: Mapping[str, str] = FORMATS, noun: str = "format"
) -> str:
    """The kind of `format`, or else of the file's ending. Raises `UserError` for an unknown one."""
    ending = file.suffix.lstrip(".").lower() if file is not None else ""
    name = format or ending or "html"
    if name not in formats:
        raise unknown(noun, name, formats)
    if format and formats[format] == "plot" and file is not None and ending != format:
        raise UserError(f"{file.name} does not end in .{format}: give --out {file.with_suffix('.' + format)}")
    return formats[name]


def write(view: View, file: Path | None, kind: str, is_typed: bool = True, **data: Any) -> Path | str:
    """Write a result to a file, or return its text. `data` are those of a page that shows passages. Raises `UserError`.

    `is_typed`: the user typed the file's path, which may be a link.
    """
    if file is None:
        return text(view, kind, Path())
    if kind == "plot":
        view.plot(file)
    elif kind == "html" and isinstance(view, Content):
        html.write(view, file, is_typed=is_typed, **data)
    else:
        write_whole(file.parent, file.name, text(view, kind, file.parent), is_typed)
    return file


def text(view: View, kind: str, home: Path) -> str:
    """A result as text; a page's links to the runs' pages are relative to the folder `home`."""
    if kind == "html":
        return view.page(home)
    if kind == "json":
        return json_text.text(view)
    if kind == "csv":
        assert isinstance(view, RowsView)
        return csv.rows_csv(view.flat_rows())
    if kind == "latex":
        return "\n".join(latex.table_latex(table, view.latex_caption(table)) for table in view.tables())
    return markdown.text(view)
