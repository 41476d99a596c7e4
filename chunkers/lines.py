"""Whole lines, packed up to a size: subtitles for translation (Hudson and Al Moubayed 2022, section 4)."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chunkers import Chunk
from chunkers.shared.boundaries import check_language, clauses, lines, sentences
from chunkers.shared.filling import Span
from chunkers.shared.packing import CountingChunker, check_size, chunks_of, pack
from chunkers.shared.units import Unit, unit_of

SIZE = 512  # words, where neither the user nor a reader sets a size


@dataclass(frozen=True)
class Lines(CountingChunker):
    """Neighbouring lines, packed greedily into chunks of at most `size` tokens (`unit`: see `Tokens`).

    A chunk consists of whole lines and keeps the blank lines between them. Only a line that alone is longer than `size`
    is split: into its sentences (`language`: see `Sentences`), and these between tokens if need be. Its parts are
    chunks of their own, labelled "part 1 of 3" and so on; only between them is there no line break in the document.

    With `size` None the pipeline takes the reader's limit; outside of a pipeline it is 512. Raises `UserError` for a
    size below 1, a language without rules, or a unit that cannot be loaded.
    """

    size: int | None = None
    unit: Any = "words"
    language: str = "en"
    _unit: Unit = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_size(SIZE if self.size is None else self.size)
        check_language(self.language)
        object.__setattr__(self, "_unit", unit_of(self.unit))

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; no chunk counts more than `size` when tokenized by itself."""
        size = SIZE if self.size is None else self.size
        spans = lines(text)
        chunks: list[Chunk] = []
        short_lines: list[Span] = []
        for span, count in zip(spans, self._unit.counts([text[start:end] for start, end in spans]), strict=True):
            if count <= size:
                short_lines.append(span)
                continue
            chunks += chunks_of(text, pack(text, short_lines, size, self._unit))
            chunks += self._split_line(text, span, size)
            short_lines = []
        return chunks + chunks_of(text, pack(text, short_lines, size, self._unit))

    def _split_line(self, text: str, line: Span, size: int) -> list[Chunk]:
        find = partial(sentences, language=self.language)
        spans = pack(text, [line], size, self._unit, (find, clauses))
        if len(spans) == 1:
            return chunks_of(text, spans)
        labels = (f"part {number} of {len(spans)}" for number in range(1, len(spans) + 1))
        return [Chunk(text[start:end], start, end, label) for (start, end), label in zip(spans, labels, strict=True)]
