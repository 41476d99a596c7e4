"""From a document and its examples to jobs: it is split and indexed once, and chunks are selected for each example.

Several plans share what is equal: a document is split once per chunker and indexed once per retriever.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from chunkers import Chunk
from chunkers.shared.words import count_words
from models.truncation import Count, TooLong, truncate
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.selection_budget import SelectionBudget
from pipelines.engine.preparation.encoder_counts import EncoderCounts
from pipelines.engine.preparation.gold_evidence import GoldEvidence, MostEvidence
from pipelines.engine.preparation.index_cache import IndexCache
from pipelines.engine.preparation.prompt_budget import MakePrompt, PromptBudget
from pipelines.engine.preparation.rankings import checked_ranking, checked_rankings
from pipelines.engine.preparation.selection import fill, worth_reading
from pipelines.records import Document, Example, Span
from pipelines.strategies import Job, Search
from retrievers import CentroidIndex, Ids, Index, Scores

OVER_WINDOW = "the document is over the reader's window"
NO_EVIDENCE = "chunks in the order of the document: they are ranked by gold evidence, and there is none"
SELECTED = 1_000_000  # ranked chunks of all questions in memory at a time


def by_document(examples: Iterable[Example]) -> Iterator[tuple[Document, list[Example]]]:
    """Neighbouring examples of one document together, in order."""
    group: list[Example] = []
    for example in examples:
        if group and example.document.id != group[0].document.id:
            yield group[0].document, group
            group = []
        group.append(example)
    if group:
        yield group[0].document, group


def prepare(plan: Plan, document: Document, examples: Sequence[Example], cache: IndexCache | None = None) -> list[Job]:
    """Jobs for the examples of one document, in order. `cache` holds the document's chunks and indexes of other plans.

    An example that no strategy can run on gets a job with a `failure`.
    """
    cache = cache or IndexCache()
    if plan.chunker.per_query:
        return [DocumentJobs(plan, document, cache, example.query).prepare([example])[0] for example in examples]
    return DocumentJobs(plan, document, cache).prepare(examples)


@dataclass(slots=True)
class DocumentJobs:
    """Makes the jobs of one document, which is split and indexed once; with `query`, for that question alone."""

    plan: Plan
    document: Document
    cache: IndexCache
    query: str | None = None
    chunks: list[Chunk] = field(init=False)
    index: Index = field(init=False)
    remark: str | None = field(init=False, default=None)
    _gold: GoldEvidence = field(init=False)
    _counts: PromptBudget = field(init=False)

    def __post_init__(self) -> None:
        self.chunks = self.cache.chunks(self.plan, self.document, self.query)
        self.index = self.cache.index(self.plan, self.document, self.query)
        self.remark = self.plan.chunker.remark_document(self.document.text, self.document.layout)
        self._gold = GoldEvidence(self.document, self.chunks)
        self._counts = PromptBudget(self.document.text, self.chunks, self.plan.reader.count)

    def prepare(self, examples: Sequence[Example]) -> list[Job]:
        """The jobs of some of the document's examples, in order."""
        if self.plan.selection.query == "centroid":
            width = self._ranked_width(examples)
            row = cast(CentroidIndex, self.index).centroid(width)
            ranked = checked_ranking(self.plan.retriever, row, self._width(width), len(self.chunks))
            return [self._selected(example, *ranked) for example in examples]
        jobs: list[Job] = []
        rows = max(1, SELECTED // max(1, self._width(self._ranked_width(examples))))
        for start in range(0, len(examples), rows):
            block = examples[start : start + rows]
            scores, ids = self.search([self._query(example) for example in block], self._ranked_width(block))
            jobs += [self._ranked(example, *row) for example, *row in zip(block, scores, ids, strict=True)]
        return jobs

    def search(self, queries: Sequence[str], k: int | None) -> tuple[Scores, Ids]:
        """The retriever's rankings. Raises `UserError` for a result that is none."""
        result = self.index.search(queries, k)
        return checked_rankings(self.plan.retriever, result, len(queries), self._width(k), len(self.chunks))

    def within_selection(self, ranked: list[Chunk], before: Sequence[Chunk]) -> list[Chunk]:
        """Ranked chunks, best first: those that fill the budget of the selection, as passages, where there is one.

        Text of the passages that were selected `before` is left out.
        """
        if (budget := self.plan.selection_share) is None:
            return ranked
        passages = fill(self.document.text, ranked, budget, self._count(budget), before)
        return [passages.chunks[i] for i in sorted(range(len(passages.chunks)), key=passages.ranks.__getitem__)]

    def _ranked_width(self, examples: Sequence[Example]) -> int | None:
        """How many chunks are ranked, None for all: the rank of gold evidence is found among all."""
        return None if any(example.evidence for example in examples) else self.plan.ranked

    def _width(self, k: int | None) -> int:
        bounds = (k, self.plan.retriever.most, len(self.chunks))
        return min(bound for bound in bounds if bound is not None)

    def search_again(
        self, counts: EncoderCounts | None, query: str, k: int | None, before: Sequence[Chunk]
    ) -> list[Chunk]:
        """A further search by a strategy (`Job.search`): the best chunks, best first."""
        if counts is not None:
            counts.add_query(query)
        _, ids = self.search([query], k or self.plan.selection.k)
        return self.within_selection([self.chunks[i] for i in ids[0]], before)

    def encoder_counts(self, example: Example) -> EncoderCounts:
        """Counts the passages, and the example's query, that are longer than the retriever's encoder reads."""
        counts = EncoderCounts(self.index, self.plan.chunker.per_query)
        if self.plan.selection.query != "centroid":
            counts.add_query(self._query(example))
        return counts

    def _ranked(self, example: Example, scores: Scores, ids: Ids) -> Job:
        if self.plan.retriever.query_source == "references" and not example.references:
            return self._failed(example, "its chunks are ranked by references, and it has none")
        job = self._selected(example, scores, ids)
        if self.plan.retriever.query_source == "evidence" and not example.evidence:
            return replace(job, remark=NO_EVIDENCE)
        return job

    def _query(self, example: Example) -> str:
        """The query for the retriever (see `query_source` of `retrievers.Retriever`)."""
        kind = self.plan.retriever.query_source
        if kind == "references":
            return "\n".join(" ".join(reference.split()) for reference in example.references)
        if kind == "evidence":
            return "\n".join(f"{start} {end}" for start, end in example.evidence)
        return example.id if kind == "id" else example.query

    def _selected(self, example: Example, scores: Scores, ids: Ids) -> Job:
        """The job with the best chunks selected; `ids` may be more than are wanted."""
        if (budget := self.plan.selection_share) is not None:
            return self._filled_job(example, scores, ids, budget)
        everything_values, ids = ids, ids[: self._width(self.plan.ranked)]
        width = len(ids)
        if self.plan.selection.budget is not None:
            try:
                width = self._counts.within(self.plan.selection.budget, ids, self._prompts(example))
            except TooLong as error:
                return self._failed(example, _over_budget(error))
        elif self.plan.selection.fit and self.plan.max_input_tokens is not None:
            width = self._counts.filling(self.plan.max_input_tokens, ids, self._prompts(example))
        elif not self.plan.chunker.cut and (over := self._over_limit(example, ids)):
            return self._failed(example, over)
        ranked = [int(i) for i in ids[:width]]
        score_of = {self.chunks[i].start: float(score) for i, score in zip(ranked, scores, strict=False)}
        ordered_ids = sorted(ranked) if self.plan.selection.order == "document" else ranked
        selected = [self.chunks[i] for i in ordered_ids]
        ranks = {self.chunks[i].start: rank for rank, i in enumerate(ranked)}
        if self.plan.selection.fit and width > 1:
            selected = self._within_limit(example, selected, ranks)
        values = [score_of[chunk.start] for chunk in selected]
        return self._with_ranks(example, selected, ranks, values, everything_values, width)

    def _within_limit(self, example: Example, selected: list[Chunk], ranks: dict[int, int]) -> list[Chunk]:
        """The chunks as far as a prompt holds them, the best one whole: a prompt that is filled is none that is cut."""
        reader, prompt = self.plan.reader, replace(self._job(example, selected), ranks=ranks).prompt(selected)
        try:
            cut = truncate(prompt, self.plan.max_input_tokens, reader.count, reader.token_ends, reader.edges)
        except TooLong:  # without any document, so that the example fails
            return selected
        ends = {part.start: part.end for part in cut.passages if part.text}
        kept = [
            replace(chunk, text=self.document.text[chunk.start : end], end=end)
            for chunk in selected
            if (end := ends.get(chunk.start)) is not None
        ]
        is_best_whole = any(ranks[chunk.start] == 0 and chunk in selected for chunk in kept)
        return kept if is_best_whole else selected

    def _filled_job(self, example: Example, scores: Scores, ids: Ids, budget: SelectionBudget) -> Job:
        """The job with the passages that fill the budget of the selection."""
        ranked = [self.chunks[i] for i in ids.tolist()]
        if budget.beyond is not None and self.plan.retriever.calibration is not None:
            ranked = ranked[: worth_reading(ranked, scores, self.plan.retriever.calibration, budget.beyond)]
        passages = fill(self.document.text, ranked, budget, self._count(budget))
        places = range(len(passages.chunks))
        ordered_places = (
            places if self.plan.selection.order == "document" else sorted(places, key=passages.ranks.__getitem__)
        )
        selected = [passages.chunks[i] for i in ordered_places]
        ranks = {chunk.start: rank for chunk, rank in zip(passages.chunks, passages.ranks, strict=True)}
        values = [float(scores[passages.ranks[i]]) for i in ordered_places]
        return self._with_ranks(example, selected, ranks, values, ids, passages.taken, partial(self._most, budget))

    def _most(self, budget: SelectionBudget, evidence: Sequence[Span]) -> list[Chunk]:
        """The passages of the budget, filled with nothing but spans of gold evidence."""
        text = self.document.text
        chunks = [Chunk(text[start:end], start, end) for start, end in evidence]
        return fill(text, chunks, replace(budget, fill="cut"), self._count(budget)).chunks

    def _count(self, budget: SelectionBudget) -> Count:
        return self.plan.reader.count if budget.unit == "tokens" else count_words

    def _with_ranks(
        self,
        example: Example,
        selected: list[Chunk],
        ranks: dict[int, int],
        scores: Sequence[float],
        ids: Ids,
        taken_count: int,
        most_evidence: MostEvidence | None = None,
    ) -> Job:
        """The job with what is recorded of the selection."""
        counts = self.encoder_counts(example)
        return replace(
            self._job(example, selected, counts),
            ranks=ranks,
            scores=tuple(round(score, 6) for score in scores),
            evidence=self._gold.counts(example, ids, taken_count, selected, most_evidence, self._fixed_number()),
            remark=self.remark,
            encoder_counts=counts.by_retriever,
        )

    def _fixed_number(self) -> int | None:
        """The number of chunks that is the whole budget of the selection, None where tokens or words limit it."""
        return None if self.plan.selection.budget is not None or self.plan.selection.fit else self.plan.selection.k

    def _over_limit(self, example: Example, ids: Ids) -> str:
        """Why a prompt with these chunks is not cut to the reader's limit, but left out; empty where it fits."""
        limit = self.plan.max_input_tokens
        if limit is None:
            return ""
        tokens = self._counts.size(ids, self._prompts(example))
        return f"{OVER_WINDOW} ({tokens:,} tokens, it takes {limit:,})" if tokens > limit else ""

    def _prompts(self, example: Example) -> MakePrompt:
        """Makes the example's prompt around chunks, best first."""
        return lambda chunks: self._job(example, list(chunks)).prompt(chunks)

    def _failed(self, example: Example, reason: str) -> Job:
        return replace(self._job(example, []), failure=reason)

    def _job(self, example: Example, selected: list[Chunk], counts: EncoderCounts | None = None) -> Job:
        return blank_job(self.plan, example, self.chunks, selected, partial(self.search_again, counts))


def blank_job(plan: Plan, example: Example, chunks: Sequence[Chunk], selected: Sequence[Chunk], search: Search) -> Job:
    """A job with these chunks, without what preparing found of the selection."""
    limit, count = plan.max_input_tokens, plan.reader.count
    return Job(
        example, chunks, selected, {}, plan.max_new_tokens, plan.template, search, plan.selection.order, limit, count,
        fills_budget=plan.selection.select is not None, cut_side=plan.chunker.cut_side,
        labels=plan.labels, ending=plan.strategy.ending(plan.labels),
    )  # fmt: skip


def _over_budget(error: TooLong) -> str:
    return f"a budget of {error.limit} tokens is used up by the question ({error.fixed} tokens); raise budget"
