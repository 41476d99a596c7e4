r"""Splits a text into paragraphs, each with the heading that it stands under.

Paragraphs lie between blank lines; in a text without any, every line is one. Headings are those of
`chunkers.shared.headings`. Where lines are not wrapped (those below a block's first are mostly over 100 characters),
each line is a paragraph; in a collection of articles, where half of the blocks begin with a short line above longer
ones, these lines are the headings.
"""

from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from chunkers import Heading
from chunkers.shared.boundaries import Span, paragraphs_and_lines
from chunkers.shared.headings import has_marked_headings, headings
from chunkers.shared.words import Offsets, word_count

TITLE_WORDS = 16
TITLE_CHARACTERS = 100
WRAPPED = 100  # characters that a line of wrapped text rarely has
LONGEST = 1_000  # the most characters of headings without text that are shown with the next heading


class Paragraph(NamedTuple):
    """A paragraph, under the heading at `heading`; `path` are the titles down to that one.

    `section` is the span from the first to the last paragraph under the same heading.
    """

    start: int
    end: int
    heading: Span | None = None
    path: tuple[str, ...] = ()
    section: Span | None = None


_Row = tuple[int, int, Span | None, tuple[str, ...]]  # a paragraph without its section


def structure(text: str, declared: Sequence[Heading] = ()) -> list[Paragraph]:
    """The paragraphs in order. Together with their headings they cover all of a text but white space.

    `declared` are the headings that the document's format declares. If there are any, no heading is a paragraph: one
    without text is shown with the next heading, or at the end with the paragraph before it.
    """
    blocks, line_spans = paragraphs_and_lines(text)
    if len(blocks) < 2:
        return _with_sections(_rows_by_heading(text, line_spans, declared))
    first_lines = np.searchsorted(line_spans[:, 0], blocks[:, 0])  # the number of each block's first line
    if not _is_unwrapped(np.delete(line_spans, first_lines, axis=0)):
        return _with_sections(_rows_by_heading(text, blocks, declared))
    spans = [(start, end) for start, end in line_spans.tolist()]
    lines_by_block = [spans[first:last] for first, last in pairwise([*first_lines.tolist(), len(spans)])]
    is_marked = bool(declared) or has_marked_headings(text)
    if 2 * sum(_is_title(text, block) for block in lines_by_block) >= len(lines_by_block) and not is_marked:
        return _with_sections(_rows_by_title(text, lines_by_block))
    return _with_sections(_rows_by_heading(text, line_spans, declared))


def _is_unwrapped(later_lines: Offsets) -> bool:
    """Whether lines after the first of their block are mostly long, so that each line is a paragraph."""
    return len(later_lines) > 0 and bool(np.median(later_lines[:, 1] - later_lines[:, 0]) > WRAPPED)


def _rows_by_title(text: str, blocks: list[list[Span]]) -> list[_Row]:
    """The lines as paragraphs, each under the title of its block if that has one."""
    rows: list[_Row] = []
    for block in blocks:
        title = block[0] if _is_title(text, block) else None
        path = (text[slice(*title)],) if title else ()
        rows += [(start, end, title, path) for start, end in block[1 if title else 0 :]]
    return rows


def _is_title(text: str, block: list[Span]) -> bool:
    start, end = block[0]
    longest_below = max((b - a for a, b in block[1:]), default=0)
    is_short = end - start < min(longest_below, TITLE_CHARACTERS) and word_count(text[start:end]) <= TITLE_WORDS
    return is_short and text[end - 1] not in ",:;"


def _rows_by_heading(text: str, blocks: Offsets, declared: Sequence[Heading]) -> list[_Row]:
    """The blocks, cut at the headings inside them. A heading without text is a paragraph, unless it is declared."""
    found_headings = headings(text, declared)
    starts = np.array([heading.start for heading in found_headings], np.int64)
    paths = [
        *_paths([(heading.level, heading.title) for heading in found_headings]),
        (),
    ]  # the last: text before all headings
    heading_spans = [*(_stripped(text, heading.start, heading.end) for heading in found_headings), None]
    rows: list[_Row] = []
    headings_with_text: set[int] = set()
    for (start, end), (first, stop) in zip(blocks.tolist(), np.searchsorted(starts, blocks).tolist(), strict=True):
        for number_above, left, right in _parts_between(text, (start, end), found_headings, range(first, stop)):
            headings_with_text.add(number_above)
            rows.append((left, right, heading_spans[number_above], paths[number_above]))
    if declared:
        return _merge_empty_headings(rows, heading_spans, headings_with_text)
    empty_headings = [span for number, span in enumerate(heading_spans) if span and number not in headings_with_text]
    return sorted([*rows, *((start, end, None, ()) for start, end in empty_headings)], key=itemgetter(0))


def _merge_empty_headings(
    rows: list[_Row], heading_spans: Sequence[Span | None], headings_with_text: set[int]
) -> list[_Row]:
    """The rows; headings without text are merged into the next one with text, at the end into the row before."""
    merged_spans: dict[Span, Span] = {}
    pending: Span | None = None
    long_headings: list[_Row] = []
    for number, heading in enumerate(heading_spans[:-1]):
        if heading is None:
            continue
        start = heading[0] if pending is None else pending[0]
        if pending is not None and heading[1] - start > LONGEST:
            long_headings.append((*pending, None, ()))
            start = heading[0]
        pending = (start, heading[1])
        if number in headings_with_text:
            merged_spans[heading] = pending
            pending = None
    rows = [(start, end, heading and merged_spans[heading], path) for start, end, heading, path in rows]
    if pending is not None and rows:
        start, _, heading, path = rows.pop()
        rows.append((start, pending[1], heading, path))
    elif pending is not None:
        rows = [(*pending, None, ())]
    return sorted([*rows, *long_headings], key=itemgetter(0))


def _parts_between(
    text: str, block: Span, found_headings: list[Heading], heading_numbers: range
) -> Sequence[tuple[int, int, int]]:
    """The parts of a block between the headings inside it: number of the heading above, start, end."""
    if not heading_numbers:
        return [(heading_numbers.start - 1, *block)]
    start, end = block
    edges = [start, *(edge for i in heading_numbers for edge in (found_headings[i].start, found_headings[i].end)), end]
    spans = [_stripped(text, left, min(right, end)) for left, right in zip(edges[::2], edges[1::2], strict=True)]
    return [(number, *span) for number, span in enumerate(spans, heading_numbers.start - 1) if span]


def _paths(levels_and_titles: list[tuple[int, str]]) -> list[tuple[str, ...]]:
    """For each heading, the titles of its ancestors and its own."""
    paths: list[tuple[str, ...]] = []
    ancestors: list[tuple[int, str]] = []
    for level, title in levels_and_titles:
        ancestors = [*(ancestor for ancestor in ancestors if ancestor[0] < level), (level, title)]
        paths.append(tuple(title for _, title in ancestors))
    return paths


def _stripped(text: str, start: int, end: int) -> Span | None:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return (start + left, start + len(part.rstrip())) if left < len(part) else None


def _with_sections(rows: list[_Row]) -> list[Paragraph]:
    sections: dict[Span | None, Span] = {}
    for start, end, heading, _ in rows:
        if heading:
            sections[heading] = (sections[heading][0] if heading in sections else start, end)
    return [Paragraph(start, end, heading, path, sections.get(heading)) for start, end, heading, path in rows]
