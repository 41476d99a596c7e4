"""The chunks that a prompt shows: the best `k`, as many as fit, or passages that fill a budget."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from chunkers import Chunk
from models.truncation import TooLong, truncate
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.gold_evidence import MostEvidence
from pipelines.engine.preparation.prompt_budget import PromptBudget
from pipelines.engine.preparation.selection import fill
from pipelines.records import Span
from pipelines.strategies import Job
from retrievers import Ids, Scores

OVER_WINDOW = "the document is over the reader's window"


class NoPrompt(Exception):
    """An example has no prompt: its document or its question is over a limit."""


@dataclass(frozen=True, slots=True)
class Selected:
    """The chunks of one example in prompt order, with the retriever's scores and, by a chunk's start, its rank.

    `taken` counts ranked chunks from the best to the last that is selected, whole or in part; `most_evidence` is as in
    `GoldEvidence.counts`.
    """

    chunks: list[Chunk]
    ranks: dict[int, int]
    scores: list[float]
    taken: int
    most_evidence: MostEvidence | None = None


@dataclass(slots=True)
class Selector:
    """Selects from the chunks of one document as a plan says."""

    plan: Plan
    text: str
    chunks: list[Chunk]
    _counts: PromptBudget = field(init=False)

    def __post_init__(self) -> None:
        self._counts = PromptBudget(self.text, self.chunks, self.plan.reader.count)

    def select(self, job: Job, scores: Scores, ids: Ids) -> Selected:
        """The selection for one example, whose prompts `job` makes. `ids` are ranked chunks, best first.

        Raises `NoPrompt`.
        """
        if (words := self.plan.words_per_search) is not None:
            return self._passages(words, scores, ids)
        ids = ids[: self.width(self.plan.ranked)]
        ranked: list[int] = ids[: self._fitting(job, ids)].tolist()
        ranks = {self.chunks[i].start: rank for rank, i in enumerate(ranked)}
        chunks = [self.chunks[i] for i in (sorted(ranked) if self.plan.selection.order == "document" else ranked)]
        if self.plan.selection.fit and len(ranked) > 1:
            chunks = self._within_limit(replace(job, ranks=ranks), chunks)
        return Selected(chunks, ranks, [float(scores[ranks[chunk.start]]) for chunk in chunks], len(ranked))

    def select_again(self, ranked: list[Chunk], before: Sequence[Chunk]) -> list[Chunk]:
        """The chunks of a further search, best first; passages that fill the budget where it is one of words.

        Text of the passages that were selected `before` is left out.
        """
        if (words := self.plan.words_per_search) is None:
            return ranked
        passages = fill(self.text, ranked, words, before)
        return [passages.chunks[i] for i in sorted(range(len(passages.chunks)), key=passages.ranks.__getitem__)]

    def width(self, k: int | None) -> int:
        """The number of chunks that a ranking of the best `k` (None: all) has in this document."""
        bounds = (k, self.plan.retriever.most, len(self.chunks))
        return min(bound for bound in bounds if bound is not None)

    @property
    def fixed_k(self) -> int | None:
        """The plan's `k` where nothing else limits the selection; None where tokens or words do."""
        return None if self.plan.selection.tokens is not None or self.plan.selection.fit else self.plan.selection.k

    def _fitting(self, job: Job, ids: Ids) -> int:
        """The number of best chunks that the prompt takes. Raises `NoPrompt`."""
        selection, limit = self.plan.selection, self.plan.max_input_tokens
        if selection.tokens is not None:
            try:
                return self._counts.within(selection.tokens, ids, job.prompt)
            except TooLong as error:
                raise NoPrompt(_over_budget(error)) from None
        if selection.fit and limit is not None:
            return self._counts.filling(limit, ids, job.prompt)
        if not self.plan.chunker.cut and limit is not None:  # such a prompt is never truncated
            tokens = self._counts.size(ids, job.prompt)
            if tokens > limit:
                raise NoPrompt(f"{OVER_WINDOW} ({tokens:,} tokens, it takes {limit:,})")
        return len(ids)

    def _within_limit(self, job: Job, selected: list[Chunk]) -> list[Chunk]:
        """The chunks, shortened to what fits the prompt, so that the prompt itself is not truncated.

        Unchanged where the best chunk would not be whole.
        """
        reader = self.plan.reader
        try:
            cut = truncate(
                job.prompt(selected), self.plan.max_input_tokens, reader.count, reader.token_ends, reader.edges
            )
        except TooLong:  # even without a document: the example fails when it is asked
            return selected
        ends = {part.start: part.end for part in cut.passages if part.text}
        shortened = [
            replace(chunk, text=self.text[chunk.start : end], end=end)
            for chunk in selected
            if (end := ends.get(chunk.start)) is not None
        ]
        is_best_whole = any(job.ranks[chunk.start] == 0 and chunk in selected for chunk in shortened)
        return shortened if is_best_whole else selected

    def _passages(self, words: int, scores: Scores, ids: Ids) -> Selected:
        """The passages that fill a budget of words."""
        passages = fill(self.text, [self.chunks[i] for i in ids.tolist()], words)
        places = list(range(len(passages.chunks)))
        if self.plan.selection.order != "document":
            places.sort(key=passages.ranks.__getitem__)
        return Selected(
            [passages.chunks[i] for i in places],
            {chunk.start: rank for chunk, rank in zip(passages.chunks, passages.ranks, strict=True)},
            [float(scores[passages.ranks[i]]) for i in places],
            passages.taken,
            partial(self._most_evidence, words),
        )

    def _most_evidence(self, words: int, evidence: Sequence[Span]) -> list[Chunk]:
        """The passages of a budget of words, filled with nothing but spans of gold evidence."""
        return fill(self.text, [Chunk(self.text[start:end], start, end) for start, end in evidence], words).chunks


def _over_budget(error: TooLong) -> str:
    return f"a budget of {error.limit} tokens is used up by the question ({error.fixed} tokens); raise budget"
