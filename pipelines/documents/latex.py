r"""LaTeX as it is written, without its comments; its lines are the file's, and `\section` and its like are headings."""

import re
from dataclasses import replace
from pathlib import Path

from chunkers.shared.headings import latex_headings
from pipelines.documents import LONGEST_HEADING, Text, text

VERSION = 1
LIBRARY = None

# a per cent sign that is written or stands in code or an address begins no comment
_COMMENT = re.compile(
    r"\\begin\{(verbatim\*?|lstlisting|minted)\}.*?(?:\\end\{\1\}|\Z)|(?P<comment>\\begin\{comment\}.*?(?:\\end\{comment\}|\Z))|"
    r"\\(?:verb\*?([^\w\s])[^\n]*?\3|url\{[^}\n]*\}|.)|(?P<line>[ \t]*%[^\n\r]*)",
    re.DOTALL,
)


def read(path: Path) -> Text:
    """The file without its comments. Raises `UserError` for binary data."""
    content = text.read(path)
    source = _COMMENT.sub(_without_comment, content.text)
    headings = tuple(heading for heading in latex_headings(source) if len(heading.title) <= LONGEST_HEADING)
    marks = tuple((heading.start, heading.title) for heading in headings)
    title = re.search(r"\\title\s*\{([^{}]{1,300})\}", source)
    name = " ".join(title[1].split()) if title else ""
    return replace(content, text=source, title=name, kind="section", marks=marks, headings=headings)


def _without_comment(match: re.Match[str]) -> str:
    """The replacement of a match: nothing of a comment but its line ends, or "%" on a line inside a paragraph."""
    if match["comment"]:
        return "\n" * match[0].count("\n")
    if match["line"] is None:
        return match[0]
    before = match.string[max(match.start() - 1, 0) : match.start()]
    after = match.string[match.end() : match.end() + 3].lstrip("\r")
    is_whole_line = before in ("", "\n", "\r")
    above = match.string[: match.start()][-3:-1].strip()
    is_within = (
        is_whole_line and bool(above) and after[:1] == "\n" and bool(after[1:2].strip()) and after[1:2] not in "\\%"
    )
    return "%" if is_within else ""  # an empty line would end the paragraph
