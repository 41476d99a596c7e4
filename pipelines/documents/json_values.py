"""Reads JSON and JSON Lines as text: the values, without brackets and escapes.

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
    """The texts in the order of the file; a file that is not JSON is read as plain text, with a warning."""
    source, warnings = file_bytes.text(path)
    try:
        rows = _rows(source)
    except plain_json.NotJSON as error:
        return Text(
            source, lined=True, warnings=(*warnings, f"{path} is not JSON ({error}), so it was read as plain text")
        )
    if (chat_list := chats.chats(_whole(rows, source))) is not None:
        return _chats(chat_list, warnings)
    parts, marks, position, seen = list[str](), list[tuple[int, str]](), 0, set[str]()
    for number, row in enumerate(rows, 1):
        lines = list(_lines(row, "", seen))
        if lines:
            marks.append((position, str(number)))
            parts.append("\n".join(lines))
            position += len(parts[-1]) + 2
    return Text("\n\n".join(parts), kind="row", marks=tuple(marks), warnings=warnings)


def is_export(path: Path) -> bool:
    """Whether a file is one JSON object or a chat, rather than a list of rows."""
    try:
        source, _ = file_bytes.text(path)
        rows = _rows(source)
    except (plain_json.NotJSON, UserError):
        return False
    value = _whole(rows, source)
    return isinstance(value, dict) or chats.chats(value) is not None


def _whole(rows: list[Any], source: str) -> Any:
    """The value of the whole file: the rows, or the single value if it is not in a list."""
    return rows if len(rows) != 1 or source.lstrip().startswith("[") else rows[0]


def _chats(chat_list: list[chats.Chat], warnings: tuple[str, ...]) -> Text:
    """The text of chats; the marks are the titles of several chats, or the numbers of one chat's messages."""
    parts, marks, position = list[str](), list[tuple[int, str]](), 0
    for chat in chat_list:
        title = [chat.title] if len(chat_list) > 1 and chat.title else []
        if title:
            marks.append((position, chat.title))
        for number, line in enumerate([*title, *chat.lines]):
            if len(chat_list) == 1:
                marks.append((position, str(number + 1)))
            parts.append(line)
            position += len(line) + 2
    title_of_one = chat_list[0].title if len(chat_list) == 1 else ""
    return Text(
        "\n\n".join(parts), title_of_one, "row" if len(chat_list) == 1 else "section", tuple(marks), warnings=warnings
    )


def _rows(source: str) -> list[Any]:
    """The rows of a file: the items of a list, one other value, or the values of lines. Raises `NotJSON`."""
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
        for item in value:
            yield from _lines(item, name, seen)
    elif isinstance(value, str) and _PICTURE.fullmatch(value.strip()):
        return
    elif isinstance(value, str) and (len(value) >= LONG or "\n" in value):
        if value not in seen:
            seen.add(value)
            yield f"\n{value.strip()}\n"
    elif value is not None and str(value).strip():
        value_text = str(value).lower() if isinstance(value, bool) else value
        yield f"{name}: {value_text}" if name else str(value_text)
