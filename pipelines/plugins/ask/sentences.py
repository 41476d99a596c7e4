"""The sentences of a passage, which may begin and end anywhere in its document."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from chunkers.shared import boundaries
from chunkers.shared.structure import structure
from chunkers.shared.words import word_count
from longdoc.words import unspaced
from pipelines.plugins.ask.line_kinds import (
    Kind,
    asks,
    breaks_between,
    explains,
    has_verb,
    is_ended,
    is_run_in,
    line_kinds,
)
from pipelines.records import Span

NARROW = 20  # characters: where no line has more, none was wrapped
REPLY = 3  # sentences after a question within running text that answer it
LONG = 100  # words: a longer sentence is mostly a quotation of several, and is split at the full stops inside

_MARKDOWN_HEADING = re.compile(r"#{1,6}\s")
_SMALL = re.compile(r"#+\s+[a-z]")
_BOLD = re.compile(r"\s*\*\*[^*]+[.!?]\*\*\s*(?=\S)")  # "**Too sour.** It stood too long."
_BAR = re.compile(r"\s*\|")
_WORD = re.compile(r"\s*(\S+)")
# A full stop after these does not end a sentence where the pattern beside them follows.
_ABBREVIATIONS = (
    # of a German date: "am 1. Mai"
    (r"[1-3]?\d", r"(?:Jan|Jän|Feb|Mär|Apr|Mai|Juni?|Juli?|Aug|Sept?|Okt|Nov|Dez)[a-z]*\b"),
    # of what has a number or a letter: "para. 2", "Sched. B", "lit. b"
    (
        r"paras?|pars?|pts?|scheds?|(?:sub)?secs?|ss|cls?|regs?|arts?|nos?|pp?|div|exhib|app|annex|ex|abs|nr|lit|bd|s|"
        r"tel|max|min|pop|str",
        r"\d|[A-Za-z]\b|[IVXLC]+\b",
    ),
    # whatever follows: "cf. No. 3"
    (
        r"cf|acc|e\.g|i\.e|incl|tsp|tbsp|esp|resp|viz|approx|subj|cllrs?|vgl|gem|bzw|ggf|evtl|inkl|sog|fa|hr|fr|dipl|ing",
        "",
    ),
)
_ABBREVIATED = [(re.compile(rf"(?:^|[\s(.-])(?:{word})\.$", re.I), re.compile(after)) for word, after in _ABBREVIATIONS]


@dataclass(frozen=True, slots=True)
class HeadedSentence:
    """A sentence, or a line without an end, and the headings that it stands under in its text."""

    span: Span
    headings: tuple[Span, ...]
    is_line: bool


@dataclass(slots=True)
class _Section:
    """The lines below some headings, with their kinds."""

    headings: list[Span] = field(default_factory=list)
    lines: list[tuple[Span, Kind]] = field(default_factory=list)

    def below(self) -> Iterator[tuple[Span, tuple[Span, ...]]]:
        """The lines that may answer, with their headings; bare lines are headings, unless the section has no others."""
        bare: list[Span] = []
        is_only_bare = all(kind is Kind.BARE for _, kind in self.lines)
        before = None
        for span, kind in self.lines:
            if kind is Kind.BARE and not is_only_bare:
                bare = [*bare, span] if before is kind else [span]
            else:
                yield span, (*self.headings, *bare)
            before = kind


def headed_sentences(text: str, column: int = 0) -> list[HeadedSentence]:
    """The sentences of a text and the rows of its tables and lists; bare lines where their section has nothing else.

    No sentence goes on beyond a blank line, nor beyond a line break unless the line was wrapped. `column` is the number
    of characters that the document has before the text on its first line. A text of headings alone gives these.
    """
    lines = _lines(text, column)
    below = [line for section in _sections(lines) for line in section.below()]
    if not below:
        return [HeadedSentence(span, (), True) for span, kind in lines if kind is not Kind.SEPARATOR]
    sentences = [sentence for span, headings in below for sentence in _split(text, span, headings)]
    return list(_without_questions(text, sentences)) or sentences


def _without_questions(text: str, sentences: Sequence[HeadedSentence]) -> Iterator[HeadedSentence]:
    """The sentences that are not questions; a question is a heading of its replies under the same headings."""
    question, replies_left = None, 0
    for sentence in sentences:
        if asks(text[slice(*sentence.span)]):
            question, replies_left = sentence, REPLY
        elif question and replies_left and question.headings == sentence.headings:
            yield replace(sentence, headings=(*sentence.headings, question.span))
            replies_left -= 1
        else:
            yield sentence


def heading_above(text: str, position: int) -> str:
    """The headings before a position of a text under which the next sentence stands, as one line."""
    after = (sentence for sentence in headed_sentences(text) if sentence.span[1] > position)
    headings = next((sentence.headings for sentence in after), ())
    return " ".join(text[start:end] for start, end in headings if end <= position)


def _lines(text: str, column: int) -> list[tuple[Span, Kind]]:
    """The lines of a text and their kinds; wrapped lines are put together."""
    marked_headings = {block.heading for block in structure(text)}
    blocks = [
        [(start + a, start + b) for a, b in _unwrapped(text[start:end], 0 if number else column)]
        for number, (start, end) in enumerate(boundaries.paragraphs(text))
    ]
    kinds = line_kinds([[text[slice(*span)] for span in block] for block in blocks])
    return [
        (span, _marked_kind(text[slice(*span)], kind, span in marked_headings))
        for block, block_kinds in zip(blocks, kinds, strict=True)
        for span, kind in zip(block, block_kinds, strict=True)
    ]


def _marked_kind(line: str, kind: Kind, is_marked: bool) -> Kind:
    """The kind of a line; a marked one is a heading, unless it reads as a sentence: in code "#" opens a comment."""
    opens = _MARKDOWN_HEADING.match(line) is not None
    if opens and not asks(line) and (_SMALL.match(line) or (is_ended(line) and has_verb(line))):
        return kind
    return Kind.HEADING if opens or is_marked else kind


def _sections(lines: Sequence[tuple[Span, Kind]]) -> list[_Section]:
    """The lines from each heading, or several in a row, to the next."""
    sections = [_Section()]
    for span, kind in lines:
        if kind is Kind.HEADING:
            if sections[-1].lines:
                sections.append(_Section())
            sections[-1].headings.append(span)
        elif kind is not Kind.SEPARATOR:
            sections[-1].lines.append((span, kind))
    return sections


def _split(text: str, span: Span, headings: tuple[Span, ...]) -> Iterator[HeadedSentence]:
    """The sentences of a line; one that is only its heading is the heading of the others. A row of cells is whole."""
    if bold := _BOLD.match(text, *span):
        headings, span = (*headings, (span[0], bold.end())), (bold.end(), span[1])
    is_row = _BAR.match(text, *span) is not None  # a full stop in a cell is that of an abbreviation
    pieces = [span] if is_row else list(_line_spans(text, *span))
    heading = 0
    is_reply = any(asks(text[slice(*above)]) for above in headings[-1:])  # "Carla." may be a whole answer
    while not is_reply and heading + 1 < len(pieces) and is_run_in(text[span[0] : pieces[heading][1]]):
        heading += 1
    if heading:
        headings = (*headings, (span[0], pieces[heading - 1][1]))
    return (HeadedSentence(piece, headings, not is_ended(text[slice(*piece)])) for piece in pieces[heading:])


def _line_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """The sentences of a line, long ones split."""
    for first, last in _whole_sentences(text[start:end]):
        if word_count(text[start + first : start + last]) <= LONG:
            yield start + first, start + last
        else:
            pieces = boundaries.clauses(text[start + first : start + last])
            yield from ((start + first + a, start + first + b) for a, b in pieces)


def _whole_sentences(line: str) -> list[Span]:
    """The sentences of a line; none ends at an abbreviation, or where the next begins with a small letter."""
    joined: list[Span] = []
    for start, end in boundaries.sentences(line):
        if joined and _goes_on(line[slice(*joined[-1])], line[start:end]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _goes_on(before: str, after: str) -> bool:
    """Whether two sentences of sentencex are one."""
    if before[-1] == "." and before[0].isupper() and after[0].islower():
        return True
    return any(word.search(before) and following.match(after) for word, following in _ABBREVIATED)


def _unwrapped(paragraph: str, column: int) -> list[Span]:
    """The lines of a paragraph, those that were wrapped put together.

    A line was wrapped if the first word of the next would make it longer than the longest, unless no line is long, or
    `breaks_between` says that the line break means something. The first one has `column` characters more in its
    document.
    """
    spans = boundaries.lines(paragraph)
    lengths = [end - start + (0 if number else column) for number, (start, end) in enumerate(spans)]
    width = max(lengths, default=0)
    wrapped = [False] * (len(spans) + 1)  # whether a line goes on with the one before it
    for number in range(1, len(spans)):
        word = _WORD.match(paragraph, *spans[number])
        size = 1 if word is None or unspaced(word[1][0]) else len(word[1])
        wrapped[number] = width >= NARROW and lengths[number - 1] + 1 + size > width
    joined: list[Span] = []
    for number, (start, end) in enumerate(spans):
        line, before = paragraph[start:end], paragraph[slice(*joined[-1])] if joined else ""
        is_wrapped = wrapped[number] and not breaks_between(before, line, wrapped[number + 1])
        if is_wrapped or explains(before, line):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
