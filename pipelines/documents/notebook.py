"""Jupyter notebooks: cells as they are shown, with the text that their code has put out; pictures are left out."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.documents import Text, file_bytes

VERSION = 1
LIBRARY = None

_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"!\[([^\[\]]*)\]\((?:data|attachment):[^)]*\)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def read(path: Path) -> Text:
    """The cells in order; headings are the marks. Raises `UserError` for what is no notebook."""
    source, warnings = file_bytes.text(path)
    try:
        value = plain_json.loads(source)
    except plain_json.NotJSON as error:
        raise UserError(f"{path} is not JSON ({error}): it is damaged or was cut off; fetch or copy it again") from None
    cells = _cells(value)
    if cells is None:
        raise UserError(f"{path} has no cells, so it is no notebook: rename it to .json")
    texts, marks, position = list[str](), list[tuple[int, str]](), 0
    for cell in cells:
        for text in filter(str.strip, _texts(cell)):
            if cell.get("cell_type") == "markdown":
                masked = _FENCED.sub(lambda match: " " * len(match[0]), text)
                marks += [(position + match.start(), match[1].rstrip("# \t")) for match in _HEADING.finditer(masked)]
            texts.append(text)
            position += len(text) + 2
    title = marks[0][1] if marks else ""
    return Text("\n\n".join(texts), title, "section", tuple(marks), warnings=warnings)


def _cells(value: Any) -> list[Mapping[str, Any]] | None:
    """The cells, of an old notebook (before 2015) those of its first sheet."""
    if isinstance(value, dict) and "cells" not in value and isinstance(sheets := value.get("worksheets"), list):
        value = sheets[0] if sheets else None
    cells = value.get("cells") if isinstance(value, dict) else None
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else None


def _texts(cell: Mapping[str, Any]) -> Iterator[str]:
    yield _PICTURE.sub(r"\1", _string(cell.get("source", cell.get("input")))).strip("\n")
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            yield _COLOURS.sub("", _output(output)).strip("\n")


def _output(output: Mapping[str, Any]) -> str:
    """What an output shows: of a picture nothing, of an error its last line."""
    if output.get("output_type") in ("error", "pyerr"):
        return f"{output.get('ename', '')}: {output.get('evalue', '')}"
    data = output.get("data")
    data = data if isinstance(data, dict) else output
    if any(str(name).startswith("image/") or name in ("png", "jpeg", "svg") for name in data):
        return ""
    return _string(next((data[name] for name in ("text/markdown", "text/plain", "text") if name in data), ""))


def _string(value: Any) -> str:
    """A text, which may be stored as its lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
