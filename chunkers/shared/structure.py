r"""The paragraphs of a text, each with the heading that it stands under.

Paragraphs lie between blank lines; in a text without any, every line is one. Headings are those of
`chunkers.shared.headings`. Where lines are not wrapped (those below a block's first are mostly over 100 characters),
each line is a paragraph; in a collection of articles, where half of the blocks begin with a short line above longer
ones, these lines are the headings.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from chunkers.shared.boundaries import Span, lines, paragraphs
from chunkers.shared.headings import Heading, headings, marked
from chunkers.shared.words import word_count

TITLE_WORDS = 16
TITLE_CHARACTERS = 100
WRAPPED = 100  # characters that a line of wrapped text rarely has


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, under the heading at `heading`; `path` are the titles down to that one.

    `section` is the span from the first to the last paragraph under the same heading.
    """

    start: int
    end: int
    heading: Span | None = None
    path: tuple[str, ...] = ()
    section: Span | None = None


def structure(text: str) -> list[Paragraph]:
    """The paragraphs in order. Together with their headings they cover all of a text but white space."""
    blocks = paragraphs(text)
    if len(blocks) > 1:
        inner = _lines_of(text, blocks)
        if _is_unwrapped(inner):
            if 2 * sum(_is_title(text, block) for block in inner) >= len(inner) and not marked(text):
                return _with_sections(_titled(text, inner))
            blocks = [line for block in inner for line in block]
    else:
        blocks = lines(text)
    return _with_sections(_headed_rows(text, blocks))


def _lines_of(text: str, blocks: list[Span]) -> list[list[Span]]:
    """The lines of each block."""
    spans = lines(text)
    firsts = [bisect_left(spans, (start, 0)) for start, _ in blocks]
    return [spans[first:last] for first, last in pairwise([*firsts, len(spans)])]


def _is_unwrapped(blocks: list[list[Span]]) -> bool:
    below = [end - start for block in blocks for start, end in block[1:]]
    return bool(below) and median(below) > WRAPPED


def _titled(text: str, blocks: list[list[Span]]) -> list[Paragraph]:
    """Each line a paragraph, under its block's title where the block has one."""
    paragraphs: list[Paragraph] = []
    for block in blocks:
        title = block[0] if _is_title(text, block) else None
        path = (text[slice(*title)],) if title else ()
        paragraphs += [Paragraph(start, end, title, path) for start, end in block[1 if title else 0 :]]
    return paragraphs


def _is_title(text: str, block: list[Span]) -> bool:
    start, end = block[0]
    below = max((b - a for a, b in block[1:]), default=0)
    short = end - start < min(below, TITLE_CHARACTERS) and word_count(text[start:end]) <= TITLE_WORDS
    return short and text[end - 1] not in ",:;"


def _headed_rows(text: str, blocks: list[Span]) -> list[Paragraph]:
    """The blocks without the headings in them; a heading that nothing follows is a paragraph."""
    found_headings = headings(text)
    starts = [heading.start for heading in found_headings]
    paths = [*_paths([(heading.level, heading.title) for heading in found_headings]), ()]  # the last: above them all
    heads = [*(_stripped(text, heading.start, heading.end) for heading in found_headings), None]
    paragraphs: list[Paragraph] = []
    filled_numbers: set[int] = set()
    for start, end in blocks:
        inside = range(bisect_right(starts, start - 1), bisect_right(starts, end - 1))
        for owner, span in _rows_between(text, (start, end), found_headings, inside):
            filled_numbers.add(owner)
            paragraphs.append(Paragraph(*span, heads[owner], paths[owner]))
    bare_spans = [head for i, head in enumerate(heads) if i not in filled_numbers]
    return sorted(
        [*paragraphs, *(Paragraph(*span) for span in bare_spans if span)], key=lambda paragraph: paragraph.start
    )


def _rows_between(text: str, block: Span, found_headings: list[Heading], inside: range) -> Iterator[tuple[int, Span]]:
    """The parts of a block between the headings inside it, each with the number of the heading that it is under."""
    if not inside:
        yield inside.start - 1, block
        return
    start, end = block
    edges = [start, *(edge for i in inside for edge in (found_headings[i].start, found_headings[i].end)), end]
    for number, (left, right) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
        if span := _stripped(text, left, min(right, end)):
            yield inside.start + number - 1, span


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


def _with_sections(paragraphs: list[Paragraph]) -> list[Paragraph]:
    ends: dict[Span, Span] = {}
    for paragraph in paragraphs:
        if paragraph.heading:
            first = ends.get(paragraph.heading, (paragraph.start, paragraph.end))[0]
            ends[paragraph.heading] = (first, paragraph.end)
    return [
        paragraph
        if not paragraph.heading
        else Paragraph(paragraph.start, paragraph.end, paragraph.heading, paragraph.path, ends[paragraph.heading])
        for paragraph in paragraphs
    ]
