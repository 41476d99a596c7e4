"""Two texts in one input, as a tokenizer's own template for pairs joins them."""

from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError

Ids = list[int]


@dataclass(frozen=True, slots=True)
class Joining:
    """How a tokenizer joins two texts: the special tokens before, between and behind them, and the types of all."""

    before: Ids
    between: Ids
    behind: Ids
    types: tuple[Ids, int, Ids, int, Ids]  # of before, the first text, between, the second, behind

    @classmethod
    def of(cls, model: str, tokenizer: Any) -> "Joining":
        """Read it off a joined pair. Raises `UserError` for a tokenizer that puts nothing between two texts."""
        pair = tokenizer.encode("a", "a")
        ids, types, owners = list(pair.ids), list(pair.type_ids), list(pair.sequence_ids)
        n, first, second = owners.count(0), owners.index(0), owners.index(1)
        if second == first + n:
            raise UserError(
                f"the tokenizer of {model} puts nothing between two texts: its tokenizer.json needs a template for "
                f"pairs (post_processor), as BERT's and RoBERTa's have"
            )
        gap = slice(first + n, second)
        pair_types = (types[:first], types[first], types[gap], types[second], types[second + n :])
        return cls(ids[:first], ids[gap], ids[second + n :], pair_types)

    @property
    def added(self) -> int:
        """How many special tokens a pair has."""
        return len(self.before) + len(self.between) + len(self.behind)

    def joined(self, numbers: Ids, other: Ids) -> tuple[Ids, Ids]:
        """A pair's token ids as the network reads them, and the type of each."""
        before, first, between, second, behind = self.types
        ids = self.before + numbers + self.between + other + self.behind
        return ids, before + [first] * len(numbers) + between + [second] * len(other) + behind
