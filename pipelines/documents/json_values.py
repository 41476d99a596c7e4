"""JSON and JSON Lines as their texts: the values without names of fields, escapes and brackets around them.

Each long text is a paragraph, each short value a line after its field's name; an item of the list, or a line of JSON
Lines, is a row, which locations name. A long text that comes again, as the document of a question's row does, stands
where it came first only. Python writes letters such as Å as escapes: nobody's question would find them in the file.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longdoc import plain_json
from pipelines.documents import Text, file_bytes

VERSION = 1
LIBRARY = None
LONG = 80  # characters from which a text is a paragraph


def read(path: Path) -> Text:
    """The texts in the order of the file; one that is no JSON as plain text, with a warning. Raises `UserError`."""
    source, warnings = file_bytes.text(path)
    try:
        rows = _rows(source)
    except plain_json.NotJSON as error:
        return Text(source, lined=True, warnings=(*warnings, f"{path} is not JSON ({error}): it is read as plain text"))
    parts, marks, position, seen = list[str](), list[tuple[int, str]](), 0, set[str]()
    for number, row in enumerate(rows, 1):
        lines = list(_lines(row, "", seen))
        if lines:
            marks.append((position, str(number)))
            parts.append("\n".join(lines))
            position += len(parts[-1]) + 2
    return Text("\n\n".join(parts), kind="row", marks=tuple(marks), warnings=warnings)


def _rows(source: str) -> list[Any]:
    """The items of one list, else the one value, or those of the lines. Raises `NotJSON`."""
    try:
        value = plain_json.loads(source)
    except plain_json.NotJSON as error:
        lines = [line for line in source.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        try:
            return list(map(plain_json.loads, lines))
        except plain_json.NotJSON:
            raise error from None
    return value if isinstance(value, list) else [value]


def _lines(value: Any, name: str, seen: set[str]) -> Iterator[str]:
    if isinstance(value, dict):
        for field, inside in value.items():
            yield from _lines(inside, field, seen)
    elif isinstance(value, list):
        for inside in value:
            yield from _lines(inside, name, seen)
    elif isinstance(value, str) and (len(value) >= LONG or "\n" in value):
        if value not in seen:
            seen.add(value)
            yield f"\n{value.strip()}\n"
    elif value is not None and str(value).strip():
        yield f"{name}: {value}" if name else str(value)
