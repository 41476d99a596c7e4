"""Whole sentences, packed up to a size."""

from dataclasses import dataclass
from functools import partial

from chunkers import Chunk, Layout
from chunkers.shared.boundaries import clauses, sentences
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
class Sentences(PackingChunker):
    """Neighbouring sentences, packed greedily into chunks of at most `size` tokens (`unit`: see `Tokens`).

    Sentences are found by `sentencex` with the rules of `language` (an ISO 639-1 code), which know the full stops of
    other scripts too; those of Thai and Lao end at spaces. One that is longer than `size`
    is cut at the sentence ends within its quotations and brackets, and if that is not enough between tokens.
    Raises `UserError` for a size below 1, a language without rules, or a unit that cannot be loaded.
    """

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; no chunk counts more than `size` when tokenized by itself."""
        return self.split_document(text, Layout(), query)

    def split_document(self, text: str, layout: Layout, query: str | None = None) -> list[Chunk]:
        """The same as `split`, with headings joined to the sentence below them and tables cut between rows."""
        find = in_rows(partial(sentences, language=self.language), layout)
        spans = with_headings(find(text), layout.headings)
        splitters = [below_headings(clauses, text, layout.headings)]
        return with_column_names(text, chunks_of(text, pack(text, spans, self.size, self._unit, splitters)), layout)
