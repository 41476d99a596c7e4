r"""The paragraphs of a text, each with the heading that it stands under.

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
from chunkers.shared.headings import headings, marked
from chunkers.shared.words import Offsets, word_count

TITLE_WORDS = 16
TITLE_CHARACTERS = 100
WRAPPED = 100  # characters that a line of wrapped text rarely has
LONGEST = 1_000  # characters of headings without a text that are shown with the next one


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

    `declared` are the headings that the document's format declares, if it does: then a heading is no paragraph, and one
    that nothing follows is shown with the next, or at the end with the paragraph before it.
    """
    blocks, line_spans = paragraphs_and_lines(text)
    if len(blocks) < 2:
        return _with_sections(_headed_rows(text, line_spans, declared))
    firsts = np.searchsorted(line_spans[:, 0], blocks[:, 0])  # the number of each block's first line
    if not _is_unwrapped(np.delete(line_spans, firsts, axis=0)):
        return _with_sections(_headed_rows(text, blocks, declared))
    spans = [(start, end) for start, end in line_spans.tolist()]
    inner = [spans[first:last] for first, last in pairwise([*firsts.tolist(), len(spans)])]
    is_marked = bool(declared) or marked(text)
    if 2 * sum(_is_title(text, block) for block in inner) >= len(inner) and not is_marked:
        return _with_sections(_titled(text, inner))
    return _with_sections(_headed_rows(text, line_spans, declared))


def _is_unwrapped(below: Offsets) -> bool:
    """Whether the lines below the first ones of their blocks are mostly long."""
    return len(below) > 0 and bool(np.median(below[:, 1] - below[:, 0]) > WRAPPED)


def _titled(text: str, blocks: list[list[Span]]) -> list[_Row]:
    """Each line a paragraph, under its block's title where the block has one."""
    rows: list[_Row] = []
    for block in blocks:
        title = block[0] if _is_title(text, block) else None
        path = (text[slice(*title)],) if title else ()
        rows += [(start, end, title, path) for start, end in block[1 if title else 0 :]]
    return rows


def _is_title(text: str, block: list[Span]) -> bool:
    start, end = block[0]
    below = max((b - a for a, b in block[1:]), default=0)
    short = end - start < min(below, TITLE_CHARACTERS) and word_count(text[start:end]) <= TITLE_WORDS
    return short and text[end - 1] not in ",:;"


def _headed_rows(text: str, blocks: Offsets, declared: Sequence[Heading]) -> list[_Row]:
    """The blocks without the headings in them; a heading that nothing follows is a paragraph, unless it is declared."""
    found_headings = headings(text, declared)
    starts = np.array([heading.start for heading in found_headings], np.int64)
    paths = [*_paths([(heading.level, heading.title) for heading in found_headings]), ()]  # the last: above them all
    heads = [*(_stripped(text, heading.start, heading.end) for heading in found_headings), None]
    rows: list[_Row] = []
    filled_numbers: set[int] = set()
    for (start, end), (first, stop) in zip(blocks.tolist(), np.searchsorted(starts, blocks).tolist(), strict=True):
        for owner, left, right in _parts_between(text, (start, end), found_headings, range(first, stop)):
            filled_numbers.add(owner)
            rows.append((left, right, heads[owner], paths[owner]))
    if declared:
        return _joined(rows, heads, filled_numbers)
    bare_spans = [head for number, head in enumerate(heads) if head and number not in filled_numbers]
    return sorted([*rows, *((start, end, None, ()) for start, end in bare_spans)], key=itemgetter(0))


def _joined(rows: list[_Row], heads: Sequence[Span | None], filled_numbers: set[int]) -> list[_Row]:
    """The rows, the headings without a text shown with the next that has one; after the last with the row before."""
    shown_spans: dict[Span, Span] = {}
    waiting: Span | None = None
    bare_rows: list[_Row] = []
    for number, head in enumerate(heads[:-1]):
        if head is None:
            continue
        start = head[0] if waiting is None else waiting[0]
        if waiting is not None and head[1] - start > LONGEST:
            bare_rows.append((*waiting, None, ()))
            start = head[0]
        waiting = (start, head[1])
        if number in filled_numbers:
            shown_spans[head] = waiting
            waiting = None
    rows = [(start, end, head and shown_spans[head], path) for start, end, head, path in rows]
    if waiting is not None and rows:
        start, _, head, path = rows.pop()
        rows.append((start, waiting[1], head, path))
    elif waiting is not None:
        rows = [(*waiting, None, ())]
    return sorted([*rows, *bare_rows], key=itemgetter(0))


def _parts_between(
    text: str, block: Span, found_headings: list[Heading], inside: range
) -> Sequence[tuple[int, int, int]]:
    """The parts of a block between the headings inside it: the number of the heading above, and where the part is."""
    if not inside:
        return [(inside.start - 1, *block)]
    start, end = block
    edges = [start, *(edge for i in inside for edge in (found_headings[i].start, found_headings[i].end)), end]
    spans = [_stripped(text, left, min(right, end)) for left, right in zip(edges[::2], edges[1::2], strict=True)]
    return [(number, *span) for number, span in enumerate(spans, inside.start - 1) if span]


def _paths(pairs: list[tuple[int, str]]) -> list[tuple[str, ...]]:
    """For each heading its title, those of the levels above before it."""
    paths: list[tuple[str, ...]] = []
    above: list[tuple[int, str]] = []
    for level, title in pairs:
        above = [*(pair for pair in above if pair[0] < level), (level, title)]
        paths.append(tuple(title for _, title in above))
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
