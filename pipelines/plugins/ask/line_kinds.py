"""What a line of a document is: a sentence, a row of a table or an item of a list, or a bare line such as a heading.

No tagger is used. A bare line is short, ends as no sentence does, and has neither a figure after its number nor a
common verb; so it is in any language that writes the ends of its sentences.
"""

import re
from collections.abc import Sequence
from enum import Enum

from chunkers.shared.words import word_count

BARE_LIMIT = 12  # words that a bare line has at most
ASKING_LIMIT = 20  # words of a line that asks, as the headings of a list of frequent questions do
RUN_IN = 4  # words of a numbered heading on the same line as its text: "4. Notice period. Either party …"

TAIL = 40  # characters of a line in which its end is looked for: after it are quotation marks, footnotes, symbols
_ENDS = re.compile(r"[.!?…,;。！？｡।॥؟۔።៕།၊။，；](?:\[\w{1,4}]|[^\w\s]|[\s_]|(?<=[^\W\d_][.!?])\d{1,3}\Z)*\Z")
_ASKS = re.compile(r"[?？؟][\s*_)]*\Z")
_TELLS = re.compile(
    r"\b(?:ask|wonder|enquire|inquire)(?:s|d|ed|ing)? (?:\w+ ){0,3}?"
    r"(?:who|whose|what|when|where|why|how|which|whether|if)\b(?!.*\b(?:said|replied|answered|told)\b)"
)
_WITHOUT_STOPS = re.compile(r"[\u0e01-\u0eff\u0f00-\u0fff\u1780-\u17ff]")  # Thai, Lao, Tibetan, Khmer
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*\w*\s*\Z|…{2,}\s*\w*\s*\Z")  # of a table of contents
_SEPARATOR = re.compile(r"[\W_]*\Z")
_PART = r"(?:chapter|section|article|artikel|artículo|articolo|part|teil|kapitel|chapitre|appendix|§+|art\.)"
_NUMBERING = re.compile(
    rf"\A\s*[#*_(\[]*(?:{_PART}\s*(?:\d+(?:\.\d+)*|[ivxlc]+\b)|(?:\d{{1,3}}(?:\.\d+)*|[ivxlc]+|[a-z])(?=[.):\]]|\s[–—-]))"
    r"[\s.):\]–—-]*",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*[-*•·‣–]\s+\S")
_NUMBERED = re.compile(r"\s*(?:\d{1,2}|[a-z])[.)]\s+\S", re.IGNORECASE)
_CELLS = re.compile(
    r"\S(?:\t|[ ]*\|[ ]*|[ ]{3,})\S|\A\s*\|"
    r"|\S([,;])(?! |\d{3}\b)[^\n]*?\S\1(?! |\d{3}\b)\S"  # two commas without spaces, and not of 1,250,000
)
_RECORD = re.compile(  # a line that begins so begins anew: a time, as in logs, or the name of a setting
    r"\s*(?:[\[(<]?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d?:\d\d\b)|[\w.-]+ ?[=:] ?\S+\Z|[\w.-]+ ?= )"
)
_BRACKETED = re.compile(r"\s*\[[^\[\]]*\]\s*\Z")  # of a section of settings
_COMMENT = re.compile(r"\s*(?://|#|;)")
_REMARK = re.compile(r"\s*(?://|;|--\s)")  # those that open no heading of Markdown
_NAMED = re.compile(r"\A\s*(?:[^\s:：]+[ ]){0,4}[^\s:：]+[ ]?[:：][ \t]*\S")  # "Notice period: three months"
_TOTAL = re.compile(r"\d[\s%)]*\Z")
_FIGURE = re.compile(r"\w\W*\s\W*\d")  # one that is not the number of the line
_VERBS = frozenset(
    re.findall(
        r"\w+",
        """is are was were has have had does did can could will would shall should may must ist sind waren wird werden
        wurde hat haben kann muss darf soll est sont était ont peut doit es está están fue tiene puede debe è hanno può
        deve é são foi tem pode zijn heeft moet mag wordt""",
    )
)  # of English, German, French, Spanish, Italian, Portuguese, Dutch; none that is a noun or an article of another
_LETTERS = re.compile(r"[^\W\d_]+")


class Kind(Enum):
    """The kinds of lines. A heading never answers; a bare line does only where its section has nothing else."""

    SENTENCE = "sentence"
    ROW = "row"
    BARE = "bare"
    HEADING = "heading"
    SEPARATOR = "separator"


def line_kinds(paragraphs: Sequence[Sequence[str]]) -> list[list[Kind]]:
    """The kind of each line of some paragraphs; a wrapped line counts as one."""
    kinds = [[_kind(line) for line in lines] for lines in paragraphs]
    return [
        [_kind_in_context(paragraphs, kinds, number, place) for place in range(len(lines))]
        for number, lines in enumerate(paragraphs)
    ]


def _kind_in_context(
    paragraphs: Sequence[Sequence[str]], kinds: Sequence[Sequence[Kind]], number: int, place: int
) -> Kind:
    """The kind of a line in view of the lines beside it."""
    lines, kind = paragraphs[number], kinds[number][place]
    line, before, after = lines[place], lines[:place][-1:], lines[place + 1 : place + 2]
    if kind is Kind.ROW and kinds[number][place + 1 : place + 2] == [Kind.SEPARATOR]:
        return Kind.HEADING  # the names of a table's columns
    if (
        not before
        and after
        and has_cells(line)
        and has_cells(after[0])
        and not has_figure(line)
        and has_figure(after[0])
    ):
        return Kind.HEADING
    is_above_text = len(lines) == 1 and kinds[number + 1 : number + 2] and kinds[number + 1][0] is Kind.SENTENCE
    if kind is Kind.ROW and is_above_text and not (has_cells(line) or _is_named(line) or _ITEM.match(line)):
        return Kind.BARE  # "Annual report 2024"
    if kind is not Kind.BARE:
        return kind
    if _NUMBERED.match(line) and any(map(_NUMBERED.match, (*before, *after))):
        return Kind.ROW
    below = [] if after else [*paragraphs[number + 1 : number + 2]]
    following = [*after, *(lines[0] for lines in below)]
    if any(_opening(line).islower() and not _ITEM.match(line) for line in following):
        return Kind.SENTENCE
    return Kind.SENTENCE if has_verb(line) and not is_above_text else kind


def _kind(line: str) -> Kind:
    """The kind of a line by itself."""
    if _SEPARATOR.match(line):
        return Kind.SEPARATOR
    words = word_count(line)
    if (_ASKS.search(line) and words <= ASKING_LIMIT) or _BRACKETED.match(line):
        return Kind.HEADING
    has_number = _FIGURE.search(_NUMBERING.sub("", line, count=1)) is not None
    if _LEADERS.search(line) or (line.isupper() and words <= BARE_LIMIT and not has_number and not _is_named(line)):
        return Kind.BARE
    if is_ended(line):
        return Kind.SENTENCE
    if has_number or has_cells(line) or _is_named(line) or _ITEM.match(line):
        return Kind.ROW
    if words > BARE_LIMIT or _opening(line).islower() or _WITHOUT_STOPS.search(line):
        return Kind.SENTENCE
    return Kind.BARE


def explains(before: str, after: str) -> bool:
    """Whether a line of code or of settings is a comment on the next."""
    return _REMARK.match(before) is not None and not is_ended(before) and not _COMMENT.match(after)


def breaks_between(before: str, after: str, continues: bool) -> bool:
    """Whether the line break between two lines ends the first: one of them is a row, an item or a heading.

    `continues`: the second fills its line, so that it is a part of running text.
    """
    if has_cells(before) or has_cells(after) or _ITEM.match(after) or _RECORD.match(after) or _LEADERS.search(before):
        return True
    if _is_named(before) and _is_named(after):
        return True
    if (_COMMENT.match(before) is None) != (_COMMENT.match(after) is None) or before.rstrip()[-1] in "{}":
        return True
    if _opening(after).islower():
        return False
    heading = is_ended(before) and before.rstrip()[-1] not in ",;" and not continues and _kind(after) is Kind.BARE
    return heading or (_kind(before) is Kind.ROW and _TOTAL.search(before) is not None)


def is_ended(line: str) -> bool:
    """Whether a line ends as sentences do."""
    return _ENDS.search(line[-TAIL:]) is not None


def asks(line: str) -> bool:
    """Whether a line or a sentence ends as a question does, or reports a question."""
    return _ASKS.search(line) is not None or (_TELLS.search(line) is not None and word_count(line) <= ASKING_LIMIT)


def has_cells(line: str) -> bool:
    """Whether a line is a row of cells: with tabs, bars or wide spaces between them."""
    return not is_ended(line) and not _LEADERS.search(line) and _CELLS.search(line) is not None


def _is_named(line: str) -> bool:
    """Whether a line is a value after its name and a colon."""
    return not _opening(line).islower() and _NAMED.match(line) is not None


def has_figure(line: str) -> bool:
    """Whether a line has a digit."""
    return any(map(str.isdigit, line))


def has_verb(line: str) -> bool:
    """Whether a line has one of the most common verbs of seven languages."""
    return not _VERBS.isdisjoint(_LETTERS.findall(line))


def is_run_in(sentence: str) -> bool:
    """Whether the first sentence of a line is only its heading: "Warranty.", "4. Notice period."."""
    rest = _NUMBERING.sub("", sentence, count=1)
    maximum = 1 if rest == sentence else RUN_IN
    return word_count(rest) <= maximum and not has_verb(rest)


def _opening(line: str) -> str:
    """The first letter of a line; "" where it has none."""
    match = _LETTERS.search(line)
    return match[0][0] if match else ""
