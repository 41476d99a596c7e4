"""A table of ways as a page, a table for a paper, plain values or a plot."""

import json
from pathlib import Path

from longdoc.errors import UserError, unknown
from longdoc.files import write_whole
from pipelines.display import terminal
from pipelines.results.conditions import plots
from pipelines.results.conditions.condition import ConditionTable
from pipelines.results.reports import csv, latex, markdown
from pipelines.results.reports.page.conditions import page

FORMATS = {"html": "html", "htm": "html", "md": "markdown", "markdown": "markdown", "tex": "latex", "latex": "latex",
           "csv": "csv", "json": "json", "svg": "plot", "pdf": "plot", "png": "plot"}  # fmt: skip


def write(table: ConditionTable, file: Path | None, format: str | None, is_typed: bool = True) -> Path | str:
    """Write a table of ways to a file, whose ending is the format, or give its text. Raises `UserError`.

    `is_typed`: the user typed the file's path, which may be a link.
    """
    name = format or (file.suffix.lstrip(".").lower() if file is not None else "markdown")
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    kind = FORMATS[name]
    if kind == "plot":
        if file is None:
            raise UserError(f"a plot needs a file: --out versus.{name}")
        plots.write(table, file)
        return file
    if file is None:
        return text(table, kind, Path())
    write_whole(file.parent, file.name, text(table, kind, file.parent), is_typed)
    return file


def text(found_table: ConditionTable, kind: str, home: Path) -> str:
    """The table in a format of `FORMATS`; `home` is where a page will lie, for its links to the runs' pages."""
    if kind == "html":
        return page(found_table, home)
    if kind == "json":
        return json.dumps(json.loads(terminal.to_json(found_table.to_dict())), indent=2, ensure_ascii=False) + "\n"
    if kind == "csv":
        return csv.rows_csv(found_table.rows())
    table = found_table.table()
    if kind == "latex":
        return latex.table_latex(table, f"Ways to read the documents of {found_table.task}.")
    return markdown.table_markdown(table)
