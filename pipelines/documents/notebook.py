"""Jupyter notebooks: cells as they are shown, with the text that their code has put out; pictures are left out."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.documents import Text, file_bytes, html, markdown, text
from pipelines.documents._joined import Joined

VERSION = 2
LIBRARY = None

_PICTURE = re.compile(r"!\[([^\[\]]*)\]\((?:data|attachment):[^)]*\)")


def read(path: Path) -> Text:
    """The cells in order; headings are the marks. Raises `UserError` if the file is not a notebook."""
    source, warnings = file_bytes.text(path)
    try:
        value = plain_json.loads(source)
    except plain_json.NotJSON as error:
        raise UserError(f"{path} is not JSON ({error}). It is damaged or was cut off; fetch or copy it again") from None
    cells = _cells(value)
    if cells is None:
        raise UserError(f"{path} has no cells, so it is not a notebook; rename it to .json")
    joined = Joined()
    for cell_text in (cell_text for cell in cells for cell_text in _texts(path, cell) if cell_text.text.strip()):
        joined.add(cell_text.text, cell_text.headings, cell_text.tables)
    headings, tables = tuple(joined.headings), tuple(joined.tables)
    marks = tuple((heading.start, heading.title) for heading in headings)
    title = marks[0][1] if marks else ""
    return Text(joined.text, title, "section", marks, warnings=warnings, headings=headings, tables=tables)


def _cells(value: Any) -> list[Mapping[str, Any]] | None:
    """The cells, of an old notebook (before 2015) those of its first sheet."""
    if isinstance(value, dict) and "cells" not in value and isinstance(sheets := value.get("worksheets"), list):
        value = sheets[0] if sheets else None
    cells = value.get("cells") if isinstance(value, dict) else None
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else None


def _texts(path: Path, cell: Mapping[str, Any]) -> Iterator[Text]:
    source = _PICTURE.sub(r"\1", _string(cell.get("source", cell.get("input")))).strip("\n")
    yield markdown.visible_text(source) if cell.get("cell_type") == "markdown" else Text(source)
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            yield _output(path, output)


def _output(path: Path, output: Mapping[str, Any]) -> Text:
    """The text of an output: "" for a picture, the last line of an error."""
    if output.get("output_type") in ("error", "pyerr"):
        return Text(f"{output.get('ename', '')}: {output.get('evalue', '')}")
    data = output.get("data")
    data = data if isinstance(data, dict) else output
    if any(str(name).startswith("image/") or name in ("png", "jpeg", "svg") for name in data):
        return Text("")
    if page := _string(data.get("text/html")):
        return html.text_of(html.page(path, page.encode()))
    output_text = _string(next((data[name] for name in ("text/markdown", "text/plain", "text") if name in data), ""))
    return Text(text.COLOURS.sub("", output_text).strip("\n"))


def _string(value: Any) -> str:
    """A text, which may be stored as its lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
