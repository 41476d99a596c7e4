"""Fill chunks up to a size: with tokens (windows), or with neighbouring sentences, paragraphs or lines (packing)."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import itemgetter
from typing import Any

import numpy as np

from chunkers import Chunk, Chunker, Heading, Layout
from chunkers.shared.boundaries import check_language
from chunkers.shared.filling import Filling, GuessedFilling, Span
from chunkers.shared.units import Pieces, Unit, Words, unit_of
from chunkers.shared.words import Offsets, has_letters_alone, visible_runs, white_space
from longdoc.code_points import Positions
from longdoc.errors import UserError

Find = Callable[[str], Sequence[Span]]  # what splits a stretch of text
_ROW_ENDS = re.compile(r"\n(?=\|)|(?<=\|)\n")
# the row that names the columns and the line of dashes below it stay with the first row
FULL_ROWS = re.compile(r"(?<!--- \|)\n(?=\|(?! ---))|(?<=\|)(?<!--- \|)\n(?!\|)")
_RULE = "\n| ---"  # the line below the names of a table's columns
_MANY = 16  # spans from which on one pass over their text is faster than one over each


def check_size(size: int) -> None:
    """Raise `UserError` for a size below 1."""
    if size < 1:
        raise UserError(f"size={size} leaves no room for a token: give 1 or more")


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
    text: str, spans: Sequence[Span], size: int, unit: Unit, finer: Sequence[Callable[[str], Sequence[Span]]] = ()
) -> list[Span]:
    """Pack neighbouring `spans` greedily into spans of at most `size` tokens.

    The spans must not overlap, nor start or end with white space. One over the size is split by the first function of
    `finer`, then by the next, and in the end between tokens. Where the tokens of a packed span are not the sum of its
    parts' (subword tokenizers), its own count decides.
    """
    atoms, counts = _refined(text, spans, size, unit, finer)
    if not atoms:
        return []
    pieces = Pieces(np.array(atoms, np.int64), np.cumsum([0, *counts]))
    return Filling(text, pieces, size, unit, windows, grows=not unit.exact).spans()


def _refined(
    text: str, spans: Sequence[Span], size: int, unit: Unit, finer: Sequence[Callable[[str], Sequence[Span]]]
) -> tuple[list[Span], list[int]]:
    counts = _counts(text, spans, unit)
    if not finer or max(counts, default=0) <= size:
        return list(spans), counts
    atoms: list[Span] = []
    numbers: list[int] = []
    for (start, end), count in zip(spans, counts, strict=True):
        if count <= size:
            parts, part_counts = [(start, end)], [count]
        else:
            parts, part_counts = _refined(text[start:end], finer[0](text[start:end]), size, unit, finer[1:])
            parts = [(start + a, start + b) for a, b in parts]
        atoms += parts
        numbers += part_counts
    return atoms, numbers


def _counts(text: str, spans: Sequence[Span], unit: Unit) -> list[int]:
    """The tokens of each span; the words of many in one pass over the text, where none is a letter alone."""
    if len(spans) >= _MANY and isinstance(unit, Words):
        offset, end = spans[0][0], spans[-1][1]
        if not has_letters_alone(stretch := text[offset:end]):
            return _word_counts(visible_runs(stretch)[:, 0] + offset, np.array(spans, np.int64))
    return unit.counts([text[start:end] for start, end in spans])


def _word_counts(starts: Positions, spans: Offsets) -> list[int]:
    """How many words each span has, those that start inside it and the one that it may start in."""
    before, until = np.searchsorted(starts, spans).T
    is_inside = np.searchsorted(starts, spans[:, 0], "right") == before
    numbers: list[int] = (until - before + is_inside).tolist()
    return numbers


def _characters(text: str, size: int, unit: Unit) -> list[Span]:
    """The last resort, for a token or word that alone counts more than `size`: whole characters."""
    starts = np.flatnonzero(~white_space(text))
    pieces = Pieces(np.stack((starts, starts + 1), axis=1), None)
    return Filling(text, pieces, size, unit, lambda *_: [(0, 1)], grows=True).spans()


def with_headings(spans: Sequence[Span], headings: Sequence[Heading]) -> list[Span]:
    """The spans, those inside a heading joined with the next one: no heading is a chunk by itself."""
    joined: list[Span] = []
    waiting: int | None = None  # where headings begin that nothing followed yet
    number = 0
    for start, end in spans:
        while number < len(headings) and headings[number].end < end:
            number += 1
        if number < len(headings) and headings[number].start <= start < headings[number].end:
            waiting = start if waiting is None else waiting
        else:
            joined.append((start if waiting is None else waiting, end))
            waiting = None
    if waiting is not None:  # at the end
        first = joined.pop()[0] if joined else waiting
        joined.append((first, spans[-1][1]))
    return joined


def in_rows(find: Find, layout: Layout) -> Find:
    """`find`, whose stretches end at the rows of tables, if there are any."""
    return (lambda stretch: rows_of(stretch, find(stretch))) if layout.tables else find


def rows_of(text: str, spans: Iterable[Span], ends: re.Pattern[str] = _ROW_ENDS) -> list[Span]:
    """The spans, each cut where a row of a table ends."""
    pieces: list[Span] = []
    for start, end in spans:
        edges = [match.start() for match in ends.finditer(text, start, end)]
        pieces += pairwise([start, *edges, end])
    cut = [(end - len(text[start:end].lstrip()), end) for start, end in pieces]
    return [(start, end) for start, end in cut if start < end]


def below_names(text: str, chunks: list[Chunk], layout: Layout) -> list[Chunk]:
    """The chunks, those that begin within a table shown below the row that names its columns."""
    named: list[Chunk] = []
    for chunk in chunks:
        number = bisect_right(layout.tables, chunk.start, key=itemgetter(0)) - 1
        start, end = layout.tables[number] if number >= 0 else (0, 0)
        names = text.find("\n", start, end)
        is_inside = start < chunk.start < end and names >= 0 and text.startswith(_RULE, names)
        named.append(replace(chunk, heading=(start, names)) if is_inside and chunk.start > names else chunk)
    return named


def below_headings(find: Find, text: str, headings: Sequence[Heading]) -> Find:
    """`find` for a stretch that may begin with headings: they stay with what it finds below them."""
    titles = {text[heading.start : heading.end] for heading in headings}

    def found(stretch: str) -> list[Span]:
        spans = list(find(stretch))
        last = next((number for number, (start, end) in enumerate(spans) if stretch[start:end] not in titles), 0)
        return [(spans[0][0], spans[last][1]), *spans[last + 1 :]] if spans else spans

    return found if titles else find


class CountingChunker(Chunker):
    """A chunker whose sizes are in a unit: it passes on what the unit remarks."""

    _unit: Unit

    def remark(self, text: str) -> str | None:
        """What to know of how the unit counts `text`."""
        return self._unit.remark(text)


@dataclass(frozen=True)
class PackingChunker(CountingChunker):
    """The fields of chunkers that pack stretches of text into at most `size` tokens."""

    size: int = 200
    unit: Any = "words"
    language: str = "en"
    _unit: Unit = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_size(self.size)
        check_language(self.language)
        object.__setattr__(self, "_unit", unit_of(self.unit))
