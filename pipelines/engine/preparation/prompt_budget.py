"""How many of the best chunks a prompt of so many tokens holds, as the reader counts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from chunkers import Chunk
from models.prompts import Prompt
from models.truncation import Count, TooLong
from pipelines.records import Span
from retrievers import Ids

COUNTED_LIMIT = 16  # chunks whose tokens are counted together

MakePrompt = Callable[[Sequence[Chunk]], Prompt]


@dataclass(slots=True)
class PromptBudget:
    """Counts the chunks of one document, and their headings, each once for all its examples."""

    text: str
    chunks: Sequence[Chunk]
    count: Count
    _tokens: dict[int, int] = field(init=False, default_factory=dict)
    _headings: dict[Span, int] = field(init=False, default_factory=dict)

    def within(self, budget: int, ids: Ids, make_prompt: MakePrompt) -> int:
        """How many of the best chunks fit a prompt of `budget` tokens. Raises `TooLong`."""
        fixed = self._size(make_prompt, [])
        if fixed >= budget:
            raise TooLong(fixed, budget)
        width, total = 0, fixed
        for tokens in self._token_counts(ids, make_prompt):
            total += tokens
            if total > budget:
                break
            width += 1
        return self._shrunk_count(budget, ids, width, make_prompt)

    def filling(self, limit: int, ids: Ids, make_prompt: MakePrompt) -> int:
        """How many of the best chunks fill a prompt of `limit` tokens, at least one; the last one may be cut."""
        total = self._size(make_prompt, [])
        for width, tokens in enumerate(self._token_counts(ids, make_prompt)):
            if width and total >= limit:
                return width
            total += tokens
        return len(ids)

    def size(self, ids: Ids, make_prompt: MakePrompt) -> int:
        """The tokens of the prompt with these chunks."""
        return self._size(make_prompt, [self.chunks[int(i)] for i in ids])

    def _size(self, make_prompt: MakePrompt, chunks: Sequence[Chunk]) -> int:
        return self.count([make_prompt(chunks).text])[0]

    def _token_counts(self, ids: Ids, make_prompt: MakePrompt) -> Iterator[int]:
        """The tokens that chunks add, with their labels, and the headings that are shown first there.

        Counted as far as asked for.
        """
        shown_spans: set[Span] = set()
        for start in range(0, len(ids), COUNTED_LIMIT):
            some_numbers = [int(i) for i in ids[start : start + COUNTED_LIMIT]]
            if new := [i for i in some_numbers if i not in self._tokens]:
                self._tokens |= dict(zip(new, self.count([self.chunks[i].text for i in new]), strict=True))
            labels = [part.shown_label for part in make_prompt([self.chunks[i] for i in some_numbers]).passages]
            for i, label in zip(
                some_numbers, self.count(labels) if any(labels) else [0] * len(some_numbers), strict=True
            ):
                yield self._tokens[i] + self._heading(self.chunks[i].heading, shown_spans) + label

    def _heading(self, heading: Span | None, shown_spans: set[Span]) -> int:
        if heading is None or heading in shown_spans:
            return 0
        shown_spans.add(heading)
        if heading not in self._headings:
            self._headings[heading] = self.count([self.text[slice(*heading)]])[0]
        return self._headings[heading]

    def _shrunk_count(self, budget: int, ids: Ids, width: int, make_prompt: MakePrompt) -> int:
        """The whole prompt can have more tokens than the sum of its parts: shrink until it fits."""
        while width > 1 and self._size(make_prompt, [self.chunks[i] for i in ids[:width]]) > budget:
            width -= 1
        return max(width, min(1, len(ids)))  # the best chunk stays in any case; the prompt is truncated to the budget
