"""Markdown, its lines those of the file; markdown-it finds the headings.

What nobody is shown is taken out, and its line ends stay: front matter (YAML between ---, TOML between +++), comments,
and pictures that are written as text (base64).
"""

import re
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from chunkers import Heading
from pipelines.documents import LONGEST_HEADING, Text, text
from pipelines.documents.markup.scripts import lowered, raised

VERSION = 3
LIBRARY = None

_FRONT = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(.*?)(?:\r?\n)(?:\1|\.\.\.)[ \t]*(?=\r?\n|\Z)", re.DOTALL)
_LINES = {  # what every line of front matter looks like, which a text between two rules does not
    "---": re.compile(r"(?:\s+.*|#.*|-(?:\s.*)?|[\w\"'. -]{1,60}:(?:\s.*)?|[\]}].*|)\Z"),
    "+++": re.compile(r"(?:\s+.*|#.*|\[.*|[\w\"'. -]{1,60}=.*|[\]}].*|)\Z"),
}
_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(.+?)[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
_PICTURE = re.compile(
    rf"^[ ]{{0,3}}\[[^\]\n]+\]:[ \t]*<?{text.DATA}>?[^\n]*$|\([ \t]*<?{text.DATA}>?[^)\n]*\)|{text.DATA}", re.MULTILINE
)
_TAGS = re.compile(
    r"<!--(?:(?!<!--).)*?-->|<sup>(?P<over>\d{1,4})</sup>(?P<slash>[/⁄])<sub>(?P<under>\d{1,4})</sub>|<sup>(?P<raised>[^<>\n]{1,40})</sup>|<sub>(?P<lowered>[^<>\n]{1,40})</sub>|"
    r"<rp>[^<>\n]*</rp>|<rt>[^<>\n]*</rt>|</?(?:ruby|rb)>",
    re.DOTALL | re.IGNORECASE,
)
_TABLE = re.compile(r"^\|[^\n]*\n\|[ \t:|-]*-[ \t:|-]*\n(?:\|[^\n]*(?:\n|\Z))+", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKS = re.compile(r"\*+|__+|`+|</?\w[^>]*>|[ \t]*\{#?[^}]*\}$")


def read(path: Path) -> Text:
    """The visible text of a file; lines in code blocks are not headings. Raises `UserError` for binary data."""
    content = text.read(path)
    source, title = _without_front(content.text)
    visible = visible_text(source)
    title = title or (visible.headings[0].title if visible.headings else "")
    return replace(visible, lined=content.lined, warnings=content.warnings, title=title)


def visible_text(source: str) -> Text:
    """The visible text, with its headings and tables."""
    source = _PICTURE.sub("", source) if ";base64," in source else source
    tokens, starts = _parsed(source)
    if _TAGS.search(source):
        source = _without_tags(source, tokens, starts)
        tokens, starts = _parsed(source)
    headings = tuple(_headings(source, tokens, starts))
    marks = tuple((heading.start, heading.title) for heading in headings)
    tables = tuple((match.start(), len(source[: match.end()].rstrip())) for match in _TABLE.finditer(source))
    return Text(source, kind="section", marks=marks, headings=headings, tables=tables)


def _without_front(source: str) -> tuple[str, str]:
    """The text with its front matter replaced by empty lines, and the title in the front matter."""
    match = _FRONT.match(source)
    if match is None or not match[2].strip() or not all(map(_LINES[match[1]].match, match[2].splitlines())):
        return source, ""
    title = _TITLE.search(match[2])
    return "\n" * match[0].count("\n") + source[match.end() :], title[1].strip("\"'") if title else ""


def _parsed(source: str) -> tuple[list[Any], list[int]]:
    """The blocks, and where each line begins."""
    from markdown_it import MarkdownIt

    lines = source.replace("\r\n", " \n").replace("\r", "\n").split("\n")  # as markdown-it counts them; lengths stay
    tokens = MarkdownIt("commonmark").disable("inline").parse(source)
    return tokens, [0, *accumulate(len(line) + 1 for line in lines)]


def _without_tags(source: str, tokens: list[Any], starts: list[int]) -> str:
    """The text without tags outside of code: comments become empty lines, raised words as in a page."""
    code_spans = iter(
        [(starts[a], starts[b]) for a, b in (token.map for token in tokens if token.type in ("fence", "code_block"))]
    )
    code_span, pieces, position = next(code_spans, None), list[str](), 0
    for match in _TAGS.finditer(source):
        while code_span is not None and code_span[1] <= match.start():
            code_span = next(code_spans, None)
        if code_span is None or match.start() < code_span[0]:
            pieces += [source[position : match.start()], _rendered_tag(match)]
            position = match.end()
    return "".join((*pieces, source[position:]))


def _rendered_tag(match: re.Match[str]) -> str:
    """The plain text of a tag with its words, with the same number of lines."""
    before, after = (
        match.string[max(match.start() - 80, 0) : match.start()],
        match.string[match.end() : match.end() + 20],
    )
    line = before.rpartition("\n")[2]
    if match["over"]:
        return f"{' ' if line[-1:].isdigit() else ''}{match['over']}{match['slash']}{match['under']}"
    if match["raised"]:
        return raised(line, match["raised"], after)
    return lowered(line, match["lowered"], after) if match["lowered"] else "\n" * match[0].count("\n")


def _headings(source: str, tokens: list[Any], starts: list[int]) -> list[Heading]:
    headings = list[Heading]()
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.map and len(inline.content) <= LONGEST_HEADING:
            start, end = starts[token.map[0]], min(starts[token.map[1]], len(source))
            title = " ".join(_MARKS.sub("", _LINK.sub(r"\1", " ".join(inline.content.split()))).split())
            if title:
                headings.append(Heading(start, start + len(source[start:end].rstrip()), int(token.tag[1]), title))
    return headings
