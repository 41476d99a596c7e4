"""reStructuredText as it is written, without its comments; its lines are the file's, and underlined titles headings.

Source: the reStructuredText Markup Specification, "Sections" and "Comments".
"""

import re
from dataclasses import replace
from pathlib import Path

from chunkers import Heading
from pipelines.documents import LONGEST_HEADING, Text, text

VERSION = 1
LIBRARY = None

_RULE = re.compile(r"([!-/:-@[-`{-~])\1*\s*\Z")
_COMMENT = re.compile(r"\.\.(?:\s+(?!\[[^\]]+\]|_|\||[\w:.+-]+::)|\s*\Z)")


def read(path: Path) -> Text:
    """The file without its comments. Raises `UserError` for binary data."""
    content = text.read(path)
    lines = _without_comments(re.split(r"(?<=\n)", content.text))
    headings = tuple(_headings(lines))
    marks = tuple((heading.start, heading.title) for heading in headings)
    title = headings[0].title if headings else ""
    return replace(content, text="".join(lines), title=title, kind="section", marks=marks, headings=headings)


def _without_comments(lines: list[str]) -> list[str]:
    """The lines, with those of comments emptied. A comment includes the indented lines below it."""
    result, is_inside = list[str](), False
    for number, line in enumerate(lines):
        if line.strip() and not line[0].isspace():
            next_line = lines[number + 1] if number + 1 < len(lines) else ""
            is_bare = not line[2:].strip()
            is_comment = _COMMENT.match(line) is not None
            is_inside = is_comment and not (is_bare and not next_line.strip())
            result.append(line[len(line.rstrip("\r\n")) :] if is_comment else line)
        else:
            result.append(line[len(line.rstrip("\r\n")) :] if is_inside else line)
    return result


def _headings(lines: list[str]) -> list[Heading]:
    """The underlined lines as headings; levels follow the order in which kinds of underlines first occur."""
    headings, styles, position = list[Heading](), list[tuple[str, bool]](), 0
    before = above = ""  # the line before, and the one before that
    for line in lines:
        length = len(line)
        rule, title = _RULE.match(line), before.strip()
        if rule and title and not _RULE.match(before) and len(line.rstrip()) >= min(len(before.rstrip()), 60):
            rule_above = _RULE.match(above)
            style = (rule[1], rule_above is not None and rule_above[1] == rule[1])
            if (style[1] or not before[0].isspace()) and len(title) <= LONGEST_HEADING and len(line.rstrip()) > 1:
                if style not in styles:
                    styles.append(style)
                start = position - len(before) - (len(above) if style[1] else 0)
                headings.append(Heading(start, position + len(line.rstrip()), styles.index(style) + 1, title))
                line, before = "", ""  # of this heading alone
        above, before, position = before, line, position + length
    return headings
