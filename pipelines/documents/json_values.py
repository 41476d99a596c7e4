"""JSON and JSON Lines as their texts: the values without names of fields, escapes and brackets around them.

Exports of chats are read as `chats` describes. Of other JSON each long text is a paragraph, each short value a line
after its field's name; an item of the list, or a line of JSON Lines, is a row, which locations name. A long text that
comes again, as the document of a question's row does, stands where it came first only. Python writes letters such as Å
as escapes: nobody's question would find them in the file.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.documents import Text, chats, file_bytes, text

VERSION = 3
LIBRARY = None
IDENTIFIERS = frozenset(("id", "_id", "uuid", "guid", "type", "kind", "object", "schema", "$schema"))  # come last
_PICTURE = re.compile(rf"{text.DATA}|(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/\r\n]{{200,}}={{0,2}}", re.DOTALL)
LONG = 80  # characters from which a text is a paragraph


def read(path: Path) -> Text:
    """The texts in the order of the file; one that is no JSON as plain text, with a warning. Raises `UserError`."""
    source, warnings = file_bytes.text(path)
    try:
        rows = _rows(source)
    except plain_json.NotJSON as error:
        return Text(source, lined=True, warnings=(*warnings, f"{path} is not JSON ({error}): it is read as plain text"))
    if (found := chats.chats(_whole(rows, source))) is not None:
        return _chats(found, warnings)
    parts, marks, position, seen = list[str](), list[tuple[int, str]](), 0, set[str]()
    for number, row in enumerate(rows, 1):
        lines = list(_lines(row, "", seen))
        if lines:
            marks.append((position, str(number)))
            parts.append("\n".join(lines))
            position += len(parts[-1]) + 2
    return Text("\n\n".join(parts), kind="row", marks=tuple(marks), warnings=warnings)


def is_export(path: Path) -> bool:
    """Whether a file is one JSON object or a chat, so no list of rows that are alike."""
    try:
        source, _ = file_bytes.text(path)
        rows = _rows(source)
    except (plain_json.NotJSON, UserError):
        return False
    value = _whole(rows, source)
    return isinstance(value, dict) or chats.chats(value) is not None


def _whole(rows: list[Any], source: str) -> Any:
    """The file's value: the rows of a list or of lines, else the one value that is not in a list."""
    return rows if len(rows) != 1 or source.lstrip().startswith("[") else rows[0]


def _chats(found: list[chats.Chat], warnings: tuple[str, ...]) -> Text:
    """Chats below each other; of several the titles, else the numbers of the messages, are the marks."""
    parts, marks, position = list[str](), list[tuple[int, str]](), 0
    for chat in found:
        title = [chat.title] if len(found) > 1 and chat.title else []
        if title:
            marks.append((position, chat.title))
        for number, line in enumerate([*title, *chat.lines]):
            if len(found) == 1:
                marks.append((position, str(number + 1)))
            parts.append(line)
            position += len(line) + 2
    only = found[0].title if len(found) == 1 else ""
    return Text("\n\n".join(parts), only, "row" if len(found) == 1 else "section", tuple(marks), warnings=warnings)


def _rows(source: str) -> list[Any]:
    """The items of one list, else the one value, or those of the lines. Raises `NotJSON`."""
    try:
        value = _value(source)
    except plain_json.NotJSON as error:
        lines = [line for line in source.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        try:
            return list(map(_value, lines))
        except plain_json.NotJSON:
            raise error from None
    return value if isinstance(value, list) else [value]


_value = partial(plain_json.loads, numbers=str)


def _lines(value: Any, name: str, seen: set[str]) -> Iterator[str]:
    if isinstance(value, dict):
        for field in sorted(value, key=lambda field: field.lower() in IDENTIFIERS):  # stable
            yield from _lines(value[field], field, seen)
    elif isinstance(value, list):
        for inside in value:
            yield from _lines(inside, name, seen)
    elif isinstance(value, str) and _PICTURE.fullmatch(value.strip()):
        return
    elif isinstance(value, str) and (len(value) >= LONG or "\n" in value):
        if value not in seen:
            seen.add(value)
            yield f"\n{value.strip()}\n"
    elif value is not None and str(value).strip():
        shown = str(value).lower() if isinstance(value, bool) else value
        yield f"{name}: {shown}" if name else str(shown)
