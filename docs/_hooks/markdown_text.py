"""Docstrings, values and tables as Markdown."""

import inspect
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

_SPECIAL = re.compile(r"([*<>\\]|_(?=\w)|(?<=\w)_)")
_ITEM = re.compile(r"(?:- |\d+\. )")


def prose(docstring: str | None) -> str:
    """A docstring as Markdown: its code spans, lists and indented blocks stay, other marks are letters."""
    parts = re.split(r"\n{2,}", inspect.cleandoc(docstring or ""))
    return "\n\n".join(part if part.startswith("    ") else _escaped(_with_lists(part)) for part in parts)


def summary(docstring: str | None) -> str:
    """The first paragraph of a docstring, in a line."""
    return prose(inspect.cleandoc(docstring or "").partition("\n\n")[0].replace("\n", " "))


def rest(docstring: str | None) -> str:
    """What a docstring says after its first paragraph."""
    return prose(inspect.cleandoc(docstring or "").partition("\n\n")[2])


def value(given: Any) -> str:
    """A value as it is typed in a spec: a word as it is, anything else as JSON."""
    plain = isinstance(given, str) and given != "" and given.isprintable() and given not in ("null", "true", "false")
    return code(given if plain else json.dumps(given, ensure_ascii=False))


def code(text: str) -> str:
    """A code span; a bar inside it parts no cells of a table."""
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text}{ticks}" if text else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A Markdown table; the columns numbered in `right` hold figures."""
    lines = [list(head), ["---:" if place in right else "---" for place in range(len(head))]]
    lines += [[cell.replace("\n", " ") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _with_lists(part: str) -> str:
    """The lines of a paragraph, an empty one before the first item of a list that follows on text."""
    lines = part.split("\n")
    for place in range(1, len(lines)):
        if _ITEM.match(lines[place]) and not any(map(_ITEM.match, lines[:place])):
            return "\n".join([*lines[:place], "", *_items(lines[place:])])
    return "\n".join(_items(lines) if _ITEM.match(lines[0]) else lines)


def _items(lines: Sequence[str]) -> list[str]:
    """Items whose further lines are indented as Markdown wants them."""
    return [line if _ITEM.match(line) else f"    {line.strip()}" for line in lines]


def _escaped(text: str) -> str:
    pieces = re.split(r"(`+[^`]+`+)", text)
    return "".join(piece if place % 2 else _SPECIAL.sub(_letter, piece) for place, piece in enumerate(pieces))


def _letter(found: re.Match[str]) -> str:
    return {"<": "&lt;", ">": "&gt;"}.get(found[0], "\\" + found[0])
