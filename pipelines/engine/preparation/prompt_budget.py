"""The number of best chunks that fit a prompt of so many tokens, as the reader counts them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from chunkers import Chunk
from models.prompts import Prompt
from models.truncation import Count, TooLong
from pipelines.records import Span
from retrievers import Ids

COUNTED_TOGETHER = 16  # chunks whose tokens are counted together

MakePrompt = Callable[[Sequence[Chunk]], Prompt]


@dataclass(slots=True)
class PromptBudget:
    """Counts the tokens of one document's chunks and headings, each once for all its examples."""

    text: str
    chunks: Sequence[Chunk]
    count: Count
    _tokens: dict[int, int] = field(init=False, default_factory=dict)
    _headings: dict[Span, int] = field(init=False, default_factory=dict)

    def within(self, budget: int, ids: Ids, make_prompt: MakePrompt) -> int:
        """The number of best chunks that fit a prompt of `budget` tokens. Raises `TooLong`."""
        fixed = self._size(make_prompt, [])
        if fixed >= budget:
            raise TooLong(fixed, budget)
        width, total = 0, fixed
        for tokens in self._token_counts(ids, make_prompt):
            total += tokens
            if total > budget:
                break
            width += 1
        return self._shrunk_width(budget, ids, width, make_prompt)

    def filling(self, limit: int, ids: Ids, make_prompt: MakePrompt) -> int:
        """The number of best chunks that fill a prompt of `limit` tokens, at least one; the last one may be cut."""
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
        """The tokens that each chunk adds, with its label, and with its heading where no chunk before it shows that.

        Only the chunks that are iterated over are counted, some more at a time.
        """
        shown_headings: set[Span] = set()
        for start in range(0, len(ids), COUNTED_TOGETHER):
            block = [int(i) for i in ids[start : start + COUNTED_TOGETHER]]
            if new := [i for i in block if i not in self._tokens]:
                self._tokens |= dict(zip(new, self.count([self.chunks[i].text for i in new]), strict=True))
            labels = [part.shown_label for part in make_prompt([self.chunks[i] for i in block]).passages]
            label_tokens = self.count(labels) if any(labels) else [0] * len(block)
            for i, tokens in zip(block, label_tokens, strict=True):
                yield self._tokens[i] + self._heading_tokens(self.chunks[i].heading, shown_headings) + tokens

    def _heading_tokens(self, heading: Span | None, shown_headings: set[Span]) -> int:
        """The tokens of a heading, which is added to `shown_headings`; 0 where it is among them."""
        if heading is None or heading in shown_headings:
            return 0
        shown_headings.add(heading)
        if heading not in self._headings:
            self._headings[heading] = self.count([self.text[slice(*heading)]])[0]
        return self._headings[heading]

    def _shrunk_width(self, budget: int, ids: Ids, width: int, make_prompt: MakePrompt) -> int:
        """The number of best chunks, at most `width`, whose whole prompt fits the budget; at least one.

        The prompt can have more tokens than the sum of its parts. If one chunk is too many, the prompt is truncated.
        """
        while width > 1 and self._size(make_prompt, [self.chunks[i] for i in ids[:width]]) > budget:
            width -= 1
        return max(width, min(1, len(ids)))
