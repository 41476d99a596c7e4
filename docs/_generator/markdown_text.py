"""Docstrings, values and tables as Markdown."""

import inspect
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

_SPECIAL = re.compile(r"([*<>\\]|_(?=\w)|(?<=\w)_)")
_ITEM = re.compile(r"(?:- |\d+\. )")


def prose(docstring: str | None) -> str:
    """A docstring as Markdown: code spans, lists and indented blocks are kept, other markup is escaped."""
    parts = re.split(r"\n{2,}", inspect.cleandoc(docstring or ""))
    return "\n\n".join(part if part.startswith("    ") else _escaped(_with_lists(part)) for part in parts)


def summary(docstring: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return prose(inspect.cleandoc(docstring or "").partition("\n\n")[0].replace("\n", " "))


def value(literal: Any) -> str:
    """A value as it is written in a spec: a word as it is, anything else as JSON."""
    plain = (
        isinstance(literal, str)
        and literal != ""
        and literal.isprintable()
        and literal not in ("null", "true", "false")
    )
    return code(literal if plain else json.dumps(literal, ensure_ascii=False))


def code(text: str) -> str:
    """A code span; a `|` inside it does not end a cell of a table."""
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text}{ticks}" if text else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A Markdown table; the columns numbered in `right` are right-aligned."""
    lines = [list(head), ["---:" if column in right else "---" for column in range(len(head))]]
    lines += [[cell.replace("\n", " ") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _with_lists(part: str) -> str:
    """The lines of a paragraph, with an empty line between text and the first item of a list."""
    lines = part.split("\n")
    for number in range(1, len(lines)):
        if _ITEM.match(lines[number]) and not any(map(_ITEM.match, lines[:number])):
            return "\n".join([*lines[:number], "", *_items(lines[number:])])
    return "\n".join(_items(lines) if _ITEM.match(lines[0]) else lines)


def _items(lines: Sequence[str]) -> list[str]:
    """List items with their continuation lines indented as Markdown requires."""
    return [line if _ITEM.match(line) else f"    {line.strip()}" for line in lines]


def _escaped(text: str) -> str:
    pieces = re.split(r"(`+[^`]+`+)", text)
    return "".join(piece if number % 2 else _SPECIAL.sub(_escape, piece) for number, piece in enumerate(pieces))


def _escape(match: re.Match[str]) -> str:
    return {"<": "&lt;", ">": "&gt;"}.get(match[0], "\\" + match[0])
