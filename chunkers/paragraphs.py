"""Whole paragraphs, packed up to a size."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chunkers import Chunk, Chunker
from chunkers._boundaries import check_language, clauses, lines, paragraphs, sentences
from chunkers._packing import check_size, chunks_of, pack
from chunkers._units import Unit, unit_of


@dataclass(frozen=True)
class Paragraphs(Chunker):
    """Neighbouring paragraphs, packed greedily into chunks of at most `size` tokens (`unit`: see `Tokens`).

    A paragraph is what stands between blank lines; in a text without any, every line is one. A paragraph that is
    longer than `size` is taken as its sentences (`language`: see `Sentences`), and those are cut where they must be.
    Raises `UserError` for a size below 1, a language without rules, or a unit that cannot be loaded.
    """

    size: int = 200
    unit: Any = "words"
    language: str = "en"
    _unit: Unit = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_size(self.size)
        check_language(self.language)
        object.__setattr__(self, "_unit", unit_of(self.unit))

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; no chunk counts more than `size` when tokenized by itself."""
        spans = paragraphs(text)
        if len(spans) == 1:
            spans = lines(text)
        find = partial(sentences, language=self.language)
        return chunks_of(text, pack(text, spans, self.size, self._unit, (find, clauses)))
