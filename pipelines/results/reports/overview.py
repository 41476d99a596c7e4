"""An overview of runs of several tasks as a page, a table for a paper, or plain values."""

import json
from pathlib import Path

from longdoc.errors import UserError, unknown
from longdoc.files import write_whole
from pipelines.display import terminal
from pipelines.results.overviews.overview import Overview
from pipelines.results.overviews.overview_tables import folded_table, reasons, tables
from pipelines.results.reports import csv, latex, markdown
from pipelines.results.reports.page.overview import page

FORMATS = {"html": "html", "htm": "html", "md": "markdown", "markdown": "markdown", "tex": "latex", "latex": "latex",
           "csv": "csv", "json": "json"}  # fmt: skip


def write(overview: Overview, file: Path | None, format: str | None, is_typed: bool = True) -> Path | str:
    """Write an overview to a file, whose ending is the format, or give its text. Raises `UserError`.

    `is_typed`: the user typed the file's path, which may be a link.
    """
    name = format or (file.suffix.lstrip(".").lower() if file is not None else "markdown")
    if name not in FORMATS:
        raise unknown("format of an overview of several tasks", name, FORMATS)
    if file is None:
        return text(overview, FORMATS[name], Path())
    if not file.parent.is_dir():
        raise UserError(f"{file.parent} is no folder: make it, or write the report elsewhere")
    write_whole(file.parent, file.name, text(overview, FORMATS[name], file.parent), is_typed)
    return file


def text(overview: Overview, format: str, home: Path) -> str:
    """The overview in a format of `FORMATS`; `home` is where a page will lie, for its links to the runs' pages."""
    if format == "html":
        return page(overview, home)
    if format == "json":
        return json.dumps(json.loads(terminal.to_json(overview.to_dict())), indent=2, ensure_ascii=False) + "\n"
    if format == "csv":
        return csv.rows_csv(overview.rows())
    if format == "latex":
        return "\n".join(latex.table_latex(table, f"Scores on {table.caption}.") for table in tables(overview))
    shown_names = [markdown.table_markdown(table) for table in tables(overview)]
    return "\n".join([*shown_names, *_folded_names(overview)])


def _folded_names(overview: Overview) -> list[str]:
    """The published scores that are not comparable, in an element that GitHub folds."""
    table = folded_table(overview)
    if table is None:
        return []
    reason = "".join(f"- {markdown.escaped(line)}\n" for line in reasons(overview))
    title = "<summary>Published, not comparable</summary>"
    return [f"<details>{title}\n\n{reason}\n{markdown.table_markdown(table)}\n</details>\n"]
