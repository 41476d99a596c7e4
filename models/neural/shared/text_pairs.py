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
        """How the tokenizer joins two texts, by a sample pair. Raises `UserError` if it puts nothing between them."""
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
    def added_tokens(self) -> int:
        """Number of special tokens in a pair."""
        return len(self.before) + len(self.between) + len(self.behind)

    def joined(self, first_ids: Ids, second_ids: Ids) -> tuple[Ids, Ids]:
        """The token ids of a joined pair, and their token type ids."""
        types_before, first_type, types_between, second_type, types_behind = self.types
        ids = self.before + first_ids + self.between + second_ids + self.behind
        first_types, second_types = [first_type] * len(first_ids), [second_type] * len(second_ids)
        return ids, types_before + first_types + types_between + second_types + types_behind
