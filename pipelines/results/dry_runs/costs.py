"""What questions about one's own documents would cost, by the way that they are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from pipelines.display import numbers
from pipelines.display.table import Table, html, plain_text


@dataclass(frozen=True, slots=True)
class ConditionCost:
    """Requests, tokens and prices of one condition, outputs being as long as they may be.

    `request_tokens` are those of the average prompt; `cut` prompts are over the limit, and counted without the tokens
    that are cut off. `cold` is the price with nothing in a server's cache; `warm` where what prompts of a document
    begin with, from 1,024 tokens on, is read from it after the first; `batch` in the provider's batch files. None: not
    known.
    """

    way: str
    requests: int
    request_tokens: int
    prompt_tokens: int
    output_tokens: int | None
    cut: int = 0
    cold: float | None = None
    warm: float | None = None
    batch: float | None = None


@dataclass(frozen=True, slots=True)
class CostTable:
    """The cost of `questions` questions about each of `documents`, of which nothing was sent.

    - `ways`: those worth choosing between. `left_out` are others, with the condition that shows at least as much text
      and costs no more.
    - `not_run`: why a condition cannot be asked. `notes`: what does not fit the model's window, and what to type.
    - `unread`: files that were named and could not be read.
    """

    model: str
    documents: int
    questions: int
    ways: Sequence[ConditionCost]
    left_out: Mapping[str, str] = field(default_factory=dict)
    not_run: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    unread: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def table(self) -> Table:
        """A row for each condition; prices that no condition has are left out."""
        rows = [_cells(cost) for cost in self.ways]
        columns = [
            position
            for position in range(len(HEADS))
            if position <= TOKENS_OUT or any(row[position] is not None for row in rows)
        ]
        notes = [*self._left_out_lines(), *(f"not possible: {name}: {reason}" for name, reason in self.not_run.items())]
        caption = f"{self.model}: {self._question_count()} (nothing is sent)"
        return Table(
            numbers.line(caption), tuple(HEADS[position] for position in columns),
            tuple(tuple(row[position] or numbers.MISSING for position in columns) for row in rows),
            tuple(map(numbers.line, (*notes, *self.notes))), frozenset(range(1, len(columns))),
        )  # fmt: skip

    def _question_count(self) -> str:
        if self.documents == 1:
            return f"{counted(self.questions, 'question')} about one document"
        return f"{counted(self.questions, 'question')} about each of {counted(self.documents, 'document')}"

    def _left_out_lines(self) -> list[str]:
        """A line for each condition that beats others."""
        beaten_conditions: dict[str, list[str]] = {}
        for name, better_condition in self.left_out.items():
            beaten_conditions.setdefault(better_condition, []).append(name)
        return [
            f"{counted(len(names), 'way')} left out: {better_condition} shows as much and costs no more than "
            f"{'; '.join(names)}"
            for better_condition, names in beaten_conditions.items()
        ]

    def __str__(self) -> str:
        """The table as plain text."""
        return plain_text(self.table())

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return html(self.table())


HEADS = (
    "way", "requests", "tokens in a request", "tokens in", "tokens out at most", "price cold", "warm", "batch",
)  # fmt: skip
TOKENS_OUT = 4  # the last column that every table has


def _cells(cost: ConditionCost) -> list[str | None]:
    """The cells of a condition's row; None where nothing is known."""
    counts = (cost.requests, cost.request_tokens, cost.prompt_tokens)
    outputs = "not bounded" if cost.output_tokens is None else numbers.count(cost.output_tokens)
    prices = [None if price is None else numbers.price(price) for price in (cost.cold, cost.warm, cost.batch)]
    return [f"{cost.way} (cut)" if cost.cut else cost.way, *map(numbers.count, counts), outputs, *prices]
