"""The sentences of a passage, which may begin and end anywhere in its document."""

import re
from collections.abc import Iterator

from chunkers._boundaries import clauses, lines, paragraphs, sentences
from chunkers._structure import structure
from chunkers._words import word_count
from pipelines.records import Span

LONG = 100  # words: a longer sentence is mostly a quotation of several, and is split at the full stops inside

_MARKDOWN_HEADING = re.compile(r"#{1,6}\s")
_WORD = re.compile(r"\s*(\S+)")
_DAY = re.compile(r"(?:^|[\s(])[1-3]?\d\.$")  # of a German date: "am 1. Mai"
_MONTH = re.compile(r"(?:Jan|Jän|Feb|Mär|Apr|Mai|Juni?|Juli?|Aug|Sept?|Okt|Nov|Dez)[a-z]*\b")


def sentence_spans(text: str, column: int = 0) -> list[Span]:
    """The spans of the sentences, without headings where there is anything else.

    None goes on beyond a blank line, nor beyond a line break that is no wrapping. `column` is how many characters the
    document has before the text on its first line.
    """
    headings = {block.heading for block in structure(text)}
    parts = [(start, end, 0 if number else column) for number, (start, end) in enumerate(paragraphs(text))]
    found = [span for part in parts for span in _of_paragraph(text, *part)]
    kept = [span for span in found if span not in headings and not _MARKDOWN_HEADING.match(text, *span)]
    return kept or found


def _of_paragraph(text: str, start: int, end: int, column: int) -> Iterator[Span]:
    for line_start, line_end in _unwrapped(text[start:end], column):
        here = start + line_start
        for first, last in _with_dates(text[here : start + line_end]):
            if word_count(text[here + first : here + last]) <= LONG:
                yield here + first, here + last
            else:
                pieces = clauses(text[here + first : here + last])
                yield from ((here + first + a, here + first + b) for a, b in pieces)


def _with_dates(line: str) -> list[Span]:
    """The sentences of a line; none ends between day and month."""
    joined: list[Span] = []
    for start, end in sentences(line):
        if joined and _DAY.search(line, *joined[-1]) and _MONTH.match(line, start):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _unwrapped(paragraph: str, column: int) -> list[Span]:
    """The lines of a paragraph, those that were wrapped put together.

    A line was wrapped if the first word of the next would make it longer than the longest. The first one has `column`
    characters more in its document.
    """
    found = lines(paragraph)
    lengths = [end - start + (0 if number else column) for number, (start, end) in enumerate(found)]
    width = max(lengths, default=0)
    joined: list[Span] = []
    for (start, end), before in zip(found, [0, *lengths], strict=False):
        word = _WORD.match(paragraph, start, end)
        wrapped = word is not None and before + 1 + len(word[1]) > width
        if joined and wrapped:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
