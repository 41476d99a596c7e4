"""Markdown, unchanged, so that its lines are the file's; markdown-it finds the headings."""

from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

from pipelines.documents import Text, text

VERSION = 1
LIBRARY = None


def read(path: Path) -> Text:
    """The file as it is; lines in a code block are not headings. Raises `UserError` for binary data."""
    content = text.read(path)
    headings = _headings(content.text)
    title = headings[0][1] if headings else ""
    return replace(content, kind="section", marks=tuple(headings), title=title)


def _headings(source: str) -> list[tuple[int, str]]:
    from markdown_it import MarkdownIt

    lines = source.replace("\r\n", " \n").replace("\r", "\n").split("\n")  # as markdown-it counts them; lengths stay
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    tokens = MarkdownIt("commonmark").disable("inline").parse(source)
    return [
        (starts[token.map[0]], " ".join(inline.content.split()))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.map and inline.content.strip()
    ]
