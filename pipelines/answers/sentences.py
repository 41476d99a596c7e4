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


def sentence_spans(text: str) -> list[Span]:
    """The spans of the sentences, without headings where there is anything else.

    None goes on beyond a blank line, nor beyond a line break that is no wrapping.
    """
    headings = {block.heading for block in structure(text)}
    found = [span for start, end in paragraphs(text) for span in _of_paragraph(text, start, end)]
    kept = [span for span in found if span not in headings and not _MARKDOWN_HEADING.match(text, *span)]
    return kept or found


def _of_paragraph(text: str, start: int, end: int) -> Iterator[Span]:
    for line_start, line_end in _unwrapped(text[start:end]):
        here = start + line_start
        for first, last in sentences(text[here : start + line_end]):
            if word_count(text[here + first : here + last]) <= LONG:
                yield here + first, here + last
            else:
                pieces = clauses(text[here + first : here + last])
                yield from ((here + first + a, here + first + b) for a, b in pieces)


def _unwrapped(paragraph: str) -> list[Span]:
    """The lines of a paragraph, those that were wrapped put together.

    A line was wrapped if the first word of the next would make it longer than the longest.
    """
    found = lines(paragraph)
    width = max((end - start for start, end in found), default=0)
    joined: list[Span] = []
    before = (0, 0)
    for start, end in found:
        word = _WORD.match(paragraph, start, end)
        wrapped = word is not None and before[1] - before[0] + 1 + len(word[1]) > width
        if joined and wrapped:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
        before = (start, end)
    return joined
