"""What a reading agent may still use: tokens of prompts, and money."""

from collections.abc import Mapping
from dataclasses import dataclass

from models.accounting.prices import A_MILLION, cost_by
from models.accounting.usage import Usage


@dataclass(slots=True)
class AgentBudget:
    """At most `tokens` of all prompts, and at most `cost` of prompts and outputs; None: no bound.

    `prices` are those of a million tokens (`models.accounting.prices`), in the unit of `cost`; empty without one.
    """

    tokens: int | None
    cost: float | None
    prices: Mapping[str, float]
    tokens_used: int = 0
    cost_used: float = 0.0

    @property
    def is_bounded(self) -> bool:
        """Whether there is a bound at all."""
        return self.tokens is not None or self.cost is not None

    def add(self, prompt_tokens: int, output_tokens: int) -> None:
        """Count a request."""
        self.tokens_used += prompt_tokens
        self.cost_used += self._cost(prompt_tokens, output_tokens)

    def exceeded(self, *requests: tuple[int, int]) -> str:
        """The budget that would not last for these requests; "" where all do.

        A request is the tokens of its prompt and the most of its output.
        """
        if self.tokens is not None and self.tokens_used + sum(prompt for prompt, _ in requests) > self.tokens:
            return "tokens"
        cost = self.cost_used + sum(self._cost(prompt, output) for prompt, output in requests)
        return "cost" if self.cost is not None and cost > self.cost else ""

    def prompt_limit(self, longest_output: int) -> int | None:
        """The most tokens of one more prompt, at least 1; None: no bound."""
        limits = [] if self.tokens is None else [self.tokens - self.tokens_used]
        if self.cost is not None and self.prices["input"]:
            left_cost = self.cost - self.cost_used - self._cost(0, longest_output)
            limits.append(int(left_cost / self.prices["input"] * A_MILLION))
        return max(min(limits), 1) if limits else None

    def _cost(self, prompt_tokens: int, output_tokens: int) -> float:
        return cost_by(self.prices, Usage(prompt_tokens, output_tokens)) or 0.0
