"""Whole paragraphs, packed up to a size."""

from dataclasses import dataclass
from functools import partial

from chunkers import Chunk, Layout
from chunkers.shared.boundaries import clauses, lines, paragraphs, sentences
from chunkers.shared.packing import (
    PackingChunker,
    below_headings,
    chunks_of,
    in_rows,
    pack,
    with_column_names,
    with_headings,
)


@dataclass(frozen=True)
class Paragraphs(PackingChunker):
    """Neighbouring paragraphs, packed greedily into chunks of at most `size` tokens (`unit`: see `Tokens`).

    Paragraphs are separated by blank lines; in a text without any, every line is one. A paragraph longer than `size` is
    split into sentences (`language`: see `Sentences`), and these are cut if need be.
    Raises `UserError` for a size below 1, a language without rules, or a unit that cannot be loaded.
    """

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; no chunk counts more than `size` when tokenized by itself."""
        return self.split_document(text, Layout(), query)

    def split_document(self, text: str, layout: Layout, query: str | None = None) -> list[Chunk]:
        """The same as `split`, with headings joined to the paragraph below them and tables cut between rows."""
        spans = paragraphs(text)
        if len(spans) == 1:
            spans = lines(text)
        spans = with_headings(spans, layout.headings)
        find = in_rows(partial(sentences, language=self.language), layout)
        splitters = [below_headings(splitter, text, layout.headings) for splitter in (find, clauses)]
        return with_column_names(text, chunks_of(text, pack(text, spans, self.size, self._unit, splitters)), layout)
