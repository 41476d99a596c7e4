"""The cost of questions about one's own documents, by the way to read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from longdoc.messages import counted
from pipelines.display import numbers
from pipelines.display.table import Column, Table
from pipelines.display.view import View


@dataclass(frozen=True, slots=True)
class ConditionCost:
    """Requests, tokens and prices of one condition, outputs being as long as they may be.

    `request_tokens` are those of the average prompt; `cut` counts prompts over the limit, whose tokens are counted
    without those cut off. `cold` is the price with an empty cache at the server; `warm` the price where the common
    beginning of a document's prompts, from 1,024 tokens on, is read from the cache after the first; `batch` the price
    in the provider's batch files. None: not known.
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
class CostTable(View):
    """The cost of `questions` questions about each of `documents`, of which nothing was sent.

    - `ways`: the conditions worth choosing between. `left_out` maps the others to the condition that shows at least as
      much text and costs no more.
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

    def tables(self) -> list[Table]:
        """A row for each condition, without columns of prices that no condition has."""
        columns = [
            Column("way", lambda cost: f"{cost.way} (cut)" if cost.cut else cost.way),
            Column("requests", lambda cost: numbers.count(cost.requests), "right"),
            Column("tokens in a request", lambda cost: numbers.count(cost.request_tokens), "right"),
            Column("tokens in", lambda cost: numbers.count(cost.prompt_tokens), "right"),
            Column("tokens out at most", _output_tokens, "right"),
        ]
        for name, price in (("price cold", "cold"), ("warm", "warm"), ("batch", "batch")):
            if any(getattr(cost, price) is not None for cost in self.ways):
                columns.append(Column(name, partial(_price, name=price), "right"))
        notes = [*self._left_out_lines(), *(f"not possible: {name}: {reason}" for name, reason in self.not_run.items())]
        caption = numbers.line(f"{self.model}: {self._question_count()} (nothing is sent)")
        return [Table(caption, tuple(columns), self.ways, tuple(map(numbers.line, (*notes, *self.notes))))]

    def _question_count(self) -> str:
        if self.documents == 1:
            return f"{counted(self.questions, 'question')} about one document"
        return f"{counted(self.questions, 'question')} about each of {counted(self.documents, 'document')}"

    def _left_out_lines(self) -> list[str]:
        """A line for each condition that makes others superfluous."""
        names_by_winner: dict[str, list[str]] = {}
        for name, winner in self.left_out.items():
            names_by_winner.setdefault(winner, []).append(name)
        return [
            f"{counted(len(names), 'way')} left out: {winner} shows as much and costs no more than {'; '.join(names)}"
            for winner, names in names_by_winner.items()
        ]


def _output_tokens(cost: ConditionCost) -> str:
    return "not bounded" if cost.output_tokens is None else numbers.count(cost.output_tokens)


def _price(cost: ConditionCost, name: str) -> str:
    price: float | None = getattr(cost, name)
    return numbers.MISSING if price is None else numbers.price(price)
