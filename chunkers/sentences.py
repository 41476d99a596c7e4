"""Whole sentences, packed up to a size."""

from dataclasses import dataclass, field
from typing import Any

from chunkers import Chunk, Chunker
from chunkers._boundaries import check_language, clauses, sentences
from chunkers._packing import check_size, chunks_of, pack
from chunkers._units import Unit, unit_of


@dataclass(frozen=True)
class Sentences(Chunker):
    """Neighbouring sentences, packed greedily into chunks of at most `size` tokens (`unit`: see `Tokens`).

    Sentences are found by `sentencex` with the rules of `language` (an ISO 639-1 code). One that is longer than `size`
    is cut at the sentence ends within its quotations and brackets, and where that is not enough between tokens.
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
        spans = sentences(text, self.language)
        return chunks_of(text, pack(text, spans, self.size, self._unit, (clauses,)))
