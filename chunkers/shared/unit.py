"""The protocol of token counters."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from chunkers.shared.words import Offsets


class Pieces(NamedTuple):
    """The spans that a text may be cut into: together they cover every character that is not white space.

    `spans` [n, 2]: where each starts and ends, without outer white space. `before` [n + 1]: how many tokens of the
    whole text come before each, and at the end all of them; None where a unit counts but has no positions.
    """

    spans: Offsets
    before: Offsets | None


class Unit(Protocol):
    """Counts tokens. `exact`: every piece is one token, whatever text surrounds it."""

    exact: bool

    def count(self, text: str) -> int:
        """The number of tokens of `text` by itself, without special tokens."""
        ...

    def counts(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text; in texts over `tokenizer_unit.PIECE` characters a few tokens off."""
        ...

    def exact_counts(self, texts: Sequence[str]) -> list[int]:
        """The exact number of tokens of each text, encoded together."""
        ...

    def pieces(self, text: str) -> Pieces:
        """The pieces between which `text` may be cut."""
        ...

    def remark(self, text: str) -> str | None:
        """A remark for users on how `text` is counted; None if there is none."""
        ...
