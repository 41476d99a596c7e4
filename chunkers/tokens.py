"""Windows of a fixed number of tokens, with or without overlap: the baseline of retrieval over long documents."""

from dataclasses import dataclass, field
from typing import Any

from chunkers import Chunk, Layout
from chunkers.shared.packing import CountingChunker, check_size, chunks_of, windows, with_column_names
from chunkers.shared.units import Unit, unit_of
from longdoc.errors import UserError


@dataclass(frozen=True)
class Tokens(CountingChunker):
    """Windows of `size` tokens, one starting every `stride` tokens (None: every `size`, so without overlap).

    A chunk's text runs from the start of its first token to the end of its last, inner white space as it is. `unit`
    says what a token is: "words" (between white space; in scripts without spaces, such as Chinese and Thai, each letter
    with its marks), a tokenizer (hub name, folder or object), or a function from a text to its number of tokens.

    No chunk counts more than `size` when its text is tokenized by itself; since a subword tokenizer can make more
    tokens of a text that is cut out, some windows are a little shorter, and the next then starts where that one ends.
    The only exception is a single character that alone is more than `size` tokens. The last window ends with the
    document. Raises `UserError` for a size below 1, a stride outside 1..size, or a unit that cannot be loaded.
    """

    size: int = 200
    stride: int | None = None
    unit: Any = "words"
    _unit: Unit = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_size(self.size)
        if self.stride is not None and not 1 <= self.stride <= self.size:
            raise UserError(f"stride must be between 1 and size ({self.size}), or left out; got {self.stride}")
        object.__setattr__(self, "_unit", unit_of(self.unit))

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The windows over `text`, in order."""
        return chunks_of(text, windows(text, self.size, self._unit, self.stride))

    def split_document(self, text: str, layout: Layout, query: str | None = None) -> list[Chunk]:
        """The windows; one that begins inside a table gets the row of column names as its heading."""
        return with_column_names(text, self.split(text, query), layout)
