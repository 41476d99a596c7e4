r"""Finds the headings of a text: those of Markdown, LaTeX and wikis, and lines of plain text that look like some.

A text with at least two headings of Markdown, LaTeX or a wiki (`== Title ==`) has these and no others. Not taken for
headings: lines of fenced code, formulas, and headings that open a theorem, a proof or a single paragraph
(`###### Lemma 2.4.`).

Levels are counted from the chapters (level 1), or without any from the highest level that occurs twice; parts have
the level of chapters. Converters disagree on how many # a chapter has, so the most frequent number counts.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from chunkers import Heading
from chunkers.shared.plain_headings import HeadingLine, plain_headings

_MARKDOWN = re.compile(r"^[ ]{0,3}(#{1,6})[ \t]+(\S[^\n]*(?:\n(?!#)[ \t]*\S[^\n]*)*)", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_LATEX = re.compile(
    r"^[ \t]*\\(?:(part|chapter|section|subsection|subsubsection)\*?\s*(?:\[[^\]]*\]\s*)?\{"
    r"((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\}){1,300})\}|begin\{(abstract|thebibliography)\}(?:\{[^{}]*\})?)",
    re.MULTILINE,
)
_WIKI = re.compile(
    r"^[ \t]*((={1,6}|=(?: =){1,5})[ \t]*([^=\s](?:[^=\n]{0,98}[^=\s])?)[ \t]*((?:= ?){1,6}))[ \t]*\r?$", re.MULTILINE
)
_DEPTHS = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5}
_CLOSING = re.compile(r"[ \t]+#+[ \t]*$")
_CHAPTER = re.compile(r"(?:chapter|appendix)\b(?=.)", re.IGNORECASE)
_THEOREM = re.compile(
    r"(?:(?:theorem|lemma|definition|proof|remark|corollary|proposition|example|claim|fact|conjecture|question|notation|"
    r"observation|note|exercise|problem|case|step|assumption|axiom|hypothesis|property|algorithm|figure|table)s?\b"
    r"(?=[\s.:]*(?:[\d(]|[A-Z]\.|of (?:the )?(?:theorem|lemma|prop|claim|cor|fact)))|proof$)",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_MATH = re.compile(r"@\w+|\$[^$]*\$|\\\w+")
_RUN_IN_DEPTH, _RUN_IN_LINES = 5, 3


def headings(text: str, declared: Sequence[Heading] = ()) -> list[Heading]:
    """The headings in order: those declared by the document's format, or if there are none, those found in the text."""
    heading_lines = [HeadingLine(*heading) for heading in declared] or _detected(text)
    top_depth = _top_depth(heading_lines)
    return [
        Heading(heading_line.start, heading_line.end, max(heading_line.depth - top_depth + 1, 1), heading_line.title)
        for heading_line in heading_lines
    ]


def _detected(text: str) -> list[HeadingLine]:
    heading_lines = sorted([*_markdown(text), *_latex(text), *_wiki(text)])
    if len(heading_lines) < 2:
        heading_lines = sorted(
            {heading_line.start: heading_line for heading_line in [*plain_headings(text), *heading_lines]}.values()
        )
    return heading_lines


def latex_headings(text: str) -> list[Heading]:
    """The headings of a LaTeX source, with the depth of their commands as level (part: 1)."""
    return [Heading(*heading_line) for heading_line in _latex(text)]


def has_marked_headings(text: str) -> bool:
    """Whether a text has at least two headings in the syntax of Markdown, LaTeX or a wiki."""
    return sum(1 for _ in islice(chain(_markdown(text), _latex(text), _wiki(text)), 2)) > 1


def _markdown(text: str) -> Iterator[HeadingLine]:
    if "#" not in text:
        return
    has_fences = "```" in text or "~~~" in text
    fences = [match.span() for match in _FENCE.finditer(text)] if has_fences else []
    remaining_fences = iter([*fences, (len(text), len(text))])
    fence = next(remaining_fences)
    for match in _MARKDOWN.finditer(text):
        while fence[1] <= match.start() and fence[0] < len(text):
            fence = next(remaining_fences)
        if not fence[0] <= match.start() < fence[1]:
            yield from _markdown_heading(match)


def _markdown_heading(match: re.Match[str]) -> Iterator[HeadingLine]:
    """The heading of a # line, if it is one. A wrapped heading ends at the blank line.

    Where more than two lines follow at once, only the first line is the heading.
    """
    depth, lines = len(match[1]), match[2].split("\n")
    is_wrapped = len(lines) <= _RUN_IN_LINES and len(lines[0]) > 45 and not lines[-1].rstrip().endswith((".", ":", ","))
    title_lines = lines if is_wrapped else lines[:1]
    title = _CLOSING.sub("", " ".join(" ".join(title_lines).split()))
    if depth >= _RUN_IN_DEPTH and title.endswith((".", ":")):
        return
    if not _LETTER.search(_MATH.sub("", title)) or _THEOREM.match(title):
        return
    if len(lines) > len(title_lines) and (sentence := re.match(r"(\S+(?: \S+){0,3})\. ", title)):
        title = sentence[1]
    yield HeadingLine(match.start(), match.start(2) + len("\n".join(title_lines).rstrip()), depth, title)


def _latex(text: str) -> Iterator[HeadingLine]:
    for match in _LATEX.finditer(text) if "\\" in text else ():
        title = {"abstract": "Abstract", "thebibliography": "References"}.get(match[3] or "") or _without_commands(
            match[2]
        )
        if title:
            yield HeadingLine(match.start(), match.end(), _DEPTHS.get(match[1] or "section", 3), title)


def _wiki(text: str) -> Iterator[HeadingLine]:
    for match in _WIKI.finditer(text) if "=" in text else ():
        depth = match[2].count("=")
        if depth == match[4].count("=") and _LETTER.search(match[3]):
            yield HeadingLine(match.start(1), match.end(1), depth, match[3])


def _without_commands(title: str) -> str:
    """A LaTeX title without commands, but with their arguments."""
    return " ".join(re.sub(r"\\(?:label|cite\w*|ref)\s*\{[^{}]*\}|\\[A-Za-z]+\*?|[{}~]", " ", title).split())


def _top_depth(heading_lines: list[HeadingLine]) -> int:
    chapters = Counter(heading_line.depth for heading_line in heading_lines if _CHAPTER.match(heading_line.title))
    if chapters.total() > 1:
        return max(chapters, key=lambda depth: (chapters[depth], -depth))
    depths = Counter(heading_line.depth for heading_line in heading_lines)
    return min((depth for depth in depths if depths[depth] > 1), default=min(depths, default=1))
