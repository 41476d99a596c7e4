"""Fill chunks up to a size: with tokens (windows), or with neighbouring sentences, paragraphs or lines (packing)."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkers import Chunk, Chunker, Heading, Layout
from chunkers.shared.boundaries import check_language
from chunkers.shared.filling import Filling, GuessedFilling, Span
from chunkers.shared.units import Pieces, Unit, Words, unit_of
from chunkers.shared.words import Offsets, has_letters_alone, visible_runs, white_space
from longdoc.errors import UserError

if TYPE_CHECKING:
    from longdoc.characters import Positions

Find = Callable[[str], Sequence[Span]]  # splits a text into spans
_ROW_ENDS = re.compile(r"\n(?=\|)|(?<=\|)\n")
# the row that names the columns and the line of dashes below it stay with the first row
FULL_ROWS = re.compile(r"(?<!--- \|)\n(?=\|(?! ---))|(?<=\|)(?<!--- \|)\n(?!\|)")
_RULE = "\n| ---"  # the line below the names of a table's columns
_MANY = 16  # spans from which on one pass over their text is faster than one over each


def check_size(size: int) -> None:
    """Raise `UserError` for a size below 1."""
    if size < 1:
        raise UserError(f"size must be 1 or more, got {size}")


def chunks_of(text: str, spans: Iterable[Span]) -> list[Chunk]:
    """The chunks at `spans` of `text`."""
    return [Chunk(text[start:end], start, end) for start, end in spans]


def windows(text: str, size: int, unit: Unit, stride: int | None = None) -> list[Span]:
    """Spans of at most `size` tokens, each starting `stride` tokens after the one before (None: where that ends)."""
    pieces = unit.pieces(text)
    if unit.exact and len(pieces.spans):
        first = np.arange(0, max(len(pieces.spans) - size, 0) + (stride or size), stride or size)
        last = np.minimum(first + size, len(pieces.spans)) - 1
        return list(zip(pieces.spans[first, 0].tolist(), pieces.spans[last, 1].tolist(), strict=True))
    return GuessedFilling(text, pieces, size, unit, _characters, stride).spans()


def pack(
    text: str, spans: Sequence[Span], size: int, unit: Unit, splitters: Sequence[Callable[[str], Sequence[Span]]] = ()
) -> list[Span]:
    """Pack neighbouring `spans` greedily into spans of at most `size` tokens.

    The spans must not overlap, nor start or end with white space. One over the size is split by the first function of
    `splitters`, then by the next, and in the end between tokens. Where the tokens of a packed span are not the sum of
    its parts' (subword tokenizers), its own count decides.
    """
    atoms, counts = _refine(text, spans, size, unit, splitters)
    if not atoms:
        return []
    pieces = Pieces(np.array(atoms, np.int64), np.cumsum([0, *counts]))
    return Filling(text, pieces, size, unit, windows, is_estimated=not unit.exact).spans()


def _refine(
    text: str, spans: Sequence[Span], size: int, unit: Unit, splitters: Sequence[Callable[[str], Sequence[Span]]]
) -> tuple[list[Span], list[int]]:
    counts = _counts(text, spans, unit)
    if not splitters or max(counts, default=0) <= size:
        return list(spans), counts
    atoms: list[Span] = []
    piece_counts: list[int] = []
    for (start, end), count in zip(spans, counts, strict=True):
        if count <= size:
            parts, part_counts = [(start, end)], [count]
        else:
            parts, part_counts = _refine(text[start:end], splitters[0](text[start:end]), size, unit, splitters[1:])
            parts = [(start + a, start + b) for a, b in parts]
        atoms += parts
        piece_counts += part_counts
    return atoms, piece_counts


def _counts(text: str, spans: Sequence[Span], unit: Unit) -> list[int]:
    """The number of tokens of each span; many spans of words are counted in one pass over the text."""
    if len(spans) >= _MANY and isinstance(unit, Words):
        offset, end = spans[0][0], spans[-1][1]
        if not has_letters_alone(stretch := text[offset:end]):
            return _word_counts(visible_runs(stretch)[:, 0] + offset, np.array(spans, np.int64))
    return unit.counts([text[start:end] for start, end in spans])


def _word_counts(starts: "Positions", spans: Offsets) -> list[int]:
    """The number of words in each span; a word that begins before the span counts too."""
    before, until = np.searchsorted(starts, spans).T
    is_inside = np.searchsorted(starts, spans[:, 0], "right") == before
    counts: list[int] = (until - before + is_inside).tolist()
    return counts


def _characters(text: str, size: int, unit: Unit) -> list[Span]:
    """Spans of whole characters, for a single token or word that is over `size`."""
    starts = np.flatnonzero(~white_space(text))
    pieces = Pieces(np.stack((starts, starts + 1), axis=1), None)
    return Filling(text, pieces, size, unit, lambda *_: [(0, 1)], is_estimated=True).spans()


def with_headings(spans: Sequence[Span], headings: Sequence[Heading]) -> list[Span]:
    """The spans, with each heading joined to the span after it (at the end, before it)."""
    joined: list[Span] = []
    heading_start: int | None = None  # start of headings without text so far
    next_heading = 0
    for start, end in spans:
        while next_heading < len(headings) and headings[next_heading].end < end:
            next_heading += 1
        if next_heading < len(headings) and headings[next_heading].start <= start < headings[next_heading].end:
            heading_start = start if heading_start is None else heading_start
        else:
            joined.append((start if heading_start is None else heading_start, end))
            heading_start = None
    if heading_start is not None:  # at the end
        first = joined.pop()[0] if joined else heading_start
        joined.append((first, spans[-1][1]))
    return joined


def in_rows(find: Find, layout: Layout) -> Find:
    """`find`, with its spans cut at the ends of table rows too, if the layout has tables."""
    return (lambda stretch: rows_of(stretch, find(stretch))) if layout.tables else find


def rows_of(text: str, spans: Iterable[Span], ends: re.Pattern[str] = _ROW_ENDS) -> list[Span]:
    """The spans, each cut where a row of a table ends."""
    pieces: list[Span] = []
    for start, end in spans:
        edges = [match.start() for match in ends.finditer(text, start, end)]
        pieces += pairwise([start, *edges, end])
    cut = [(end - len(text[start:end].lstrip()), end) for start, end in pieces]
    return [(start, end) for start, end in cut if start < end]


def with_column_names(text: str, chunks: list[Chunk], layout: Layout) -> list[Chunk]:
    """The chunks; one that begins inside a table gets the row of column names as its heading."""
    chunks_with_names: list[Chunk] = []
    for chunk in chunks:
        table = bisect_right(layout.tables, chunk.start, key=itemgetter(0)) - 1
        start, end = layout.tables[table] if table >= 0 else (0, 0)
        header_end = text.find("\n", start, end)
        is_inside = start < chunk.start < end and header_end >= 0 and text.startswith(_RULE, header_end)
        chunks_with_names.append(
            replace(chunk, heading=(start, header_end)) if is_inside and chunk.start > header_end else chunk
        )
    return chunks_with_names


def below_headings(find: Find, text: str, headings: Sequence[Heading]) -> Find:
    """`find` for text that may begin with headings: these are joined to the first span below them."""
    titles = {text[heading.start : heading.end] for heading in headings}

    def find_with_headings(stretch: str) -> list[Span]:
        spans = list(find(stretch))
        first_text = next((number for number, (start, end) in enumerate(spans) if stretch[start:end] not in titles), 0)
        return [(spans[0][0], spans[first_text][1]), *spans[first_text + 1 :]] if spans else spans

    return find_with_headings if titles else find


class CountingChunker(Chunker):
    """Base class of chunkers whose sizes are counted in a unit."""

    _unit: Unit

    def remark(self, text: str) -> str | None:
        """The unit's remark on how it counts `text`; None if there is none."""
        return self._unit.remark(text)


@dataclass(frozen=True)
class PackingChunker(CountingChunker):
    """Base class of chunkers that pack neighbouring spans into chunks of at most `size` tokens."""

    size: int = 200
    unit: Any = "words"
    language: str = "en"
    _unit: Unit = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_size(self.size)
        check_language(self.language)
        object.__setattr__(self, "_unit", unit_of(self.unit))
