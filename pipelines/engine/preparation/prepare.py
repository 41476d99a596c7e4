"""Jobs from a document and its examples: it is split and indexed once, and chunks are selected for each example.

Several plans share what is equal: a document is split once per chunker and indexed once per retriever.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from chunkers import Chunk
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.encoder_counts import EncoderCounts
from pipelines.engine.preparation.gold_evidence import GoldEvidence
from pipelines.engine.preparation.index_cache import IndexCache
from pipelines.engine.preparation.rankings import checked_ranking, checked_rankings
from pipelines.engine.preparation.selected import NoPrompt, Selector
from pipelines.records import Document, Example
from pipelines.strategies import Job, Search
from retrievers import CentroidIndex, Ids, Index, Scores

NO_REFERENCES = "the retriever ranks chunks by the references, and the example has none"
NO_EVIDENCE = "chunks in the order of the document: they are ranked by gold evidence, and there is none"
MOST_RANKED = 1_000_000  # ranked chunks, of all questions together, in memory at a time


def by_document(examples: Iterable[Example]) -> Iterator[tuple[Document, list[Example]]]:
    """Each document with its examples, which are neighbours in the data, in order."""
    group: list[Example] = []
    for example in examples:
        if group and example.document.id != group[0].document.id:
            yield group[0].document, group
            group = []
        group.append(example)
    if group:
        yield group[0].document, group


def prepare(plan: Plan, document: Document, examples: Sequence[Example], cache: IndexCache | None = None) -> list[Job]:
    """Jobs for the examples of one document, in order. `cache` has the document's chunks and indexes of other plans.

    An example that cannot be run, whatever the strategy, gets a job with a `failure`.
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
    _selector: Selector = field(init=False)
    _gold: GoldEvidence = field(init=False)

    def __post_init__(self) -> None:
        self.chunks = self.cache.chunks(self.plan, self.document, self.query)
        self.index = self.cache.index(self.plan, self.document, self.query)
        self.remark = self.plan.chunker.remark_document(self.document.text, self.document.layout)
        self._selector = Selector(self.plan, self.document.text, self.chunks)
        self._gold = GoldEvidence(self.document, self.chunks)

    def prepare(self, examples: Sequence[Example]) -> list[Job]:
        """The jobs of some of the document's examples, in order."""
        return [self._job(example, scores, ids) for example, scores, ids in self._rankings(examples)]

    def search(self, queries: Sequence[str], k: int | None) -> tuple[Scores, Ids]:
        """The retriever's scores and chunk numbers for the queries, checked (`checked_rankings`)."""
        result = self.index.search(queries, k)
        width = self._selector.width(k)
        return checked_rankings(self.plan.retriever, result, len(queries), width, len(self.chunks))

    def search_again(
        self, counts: EncoderCounts | None, query: str, k: int | None, before: Sequence[Chunk]
    ) -> list[Chunk]:
        """The best chunks of a further search by a strategy (`Job.search`), best first."""
        if counts is not None:
            counts.add_query(query)
        _, ids = self.search([query], k or self.plan.selection.k)
        return self._selector.select_again([self.chunks[i] for i in ids[0]], before)

    def encoder_counts(self, example: Example) -> EncoderCounts:
        """The counts of the passages, and of the example's query, that the retriever's encoder is too short for."""
        counts = EncoderCounts(self.index, self.plan.chunker.per_query)
        if not self._by_centroid:
            counts.add_query(self._query(example))
        return counts

    def _rankings(self, examples: Sequence[Example]) -> Iterator[tuple[Example, Scores, Ids]]:
        """Each example with the scores and numbers of its ranked chunks: by its query, or by the centroid for all."""
        width = self._ranked_width(examples)
        if self._by_centroid:
            result = cast(CentroidIndex, self.index).centroid(width)
            ranking = checked_ranking(self.plan.retriever, result, self._selector.width(width), len(self.chunks))
            yield from ((example, *ranking) for example in examples)
            return
        block_size = max(1, MOST_RANKED // max(1, self._selector.width(width)))
        for start in range(0, len(examples), block_size):
            block = examples[start : start + block_size]
            scores, ids = self.search([self._query(example) for example in block], self._ranked_width(block))
            yield from zip(block, scores, ids, strict=True)

    def _job(self, example: Example, scores: Scores, ids: Ids) -> Job:
        """The job of an example: what makes its prompts, then the selected chunks, then their counts."""
        counts = self.encoder_counts(example)
        job = blank_job(self.plan, example, self.chunks, partial(self.search_again, counts))
        if self._ranks_by("references") and not example.references:
            return replace(job, failure=NO_REFERENCES)
        try:
            selected = self._selector.select(job, scores, ids)
        except NoPrompt as error:
            return replace(job, failure=str(error))
        evidence = self._gold.counts(
            example, ids, selected.taken, selected.chunks, selected.most_evidence, self._selector.fixed_k
        )
        return replace(
            job,
            selected=selected.chunks,
            ranks=selected.ranks,
            scores=tuple(round(score, 6) for score in selected.scores),
            evidence=evidence,
            remark=NO_EVIDENCE if self._ranks_by("evidence") and not example.evidence else self.remark,
            encoder_counts=counts.by_retriever,
        )

    @property
    def _by_centroid(self) -> bool:
        return self.plan.selection.query == "centroid"

    def _ranks_by(self, kind: str) -> bool:
        """Whether the retriever ranks by this source of the query."""
        return not self._by_centroid and self.plan.retriever.query_source == kind

    def _ranked_width(self, examples: Sequence[Example]) -> int | None:
        """The number of chunks to rank, None for all: gold evidence may have any rank."""
        return None if any(example.evidence for example in examples) else self.plan.ranked

    def _query(self, example: Example) -> str:
        """The query for the retriever (see `query_source` of `retrievers.Retriever`)."""
        kind = self.plan.retriever.query_source
        if kind == "references":
            return "\n".join(" ".join(reference.split()) for reference in example.references)
        if kind == "evidence":
            return "\n".join(f"{start} {end}" for start, end in example.evidence)
        return example.id if kind == "id" else example.query


def blank_job(plan: Plan, example: Example, chunks: Sequence[Chunk], search: Search) -> Job:
    """The job of an example before any chunk is selected: it can make prompts."""
    limit, count = plan.max_input_tokens, plan.reader.count
    return Job(
        example, chunks, (), {}, plan.max_new_tokens, plan.template, search, plan.selection.order, limit, count,
        fills_budget=plan.selection.words is not None, cut_side=plan.chunker.cut_side,
        labels=plan.labels, ending=plan.strategy.ending(plan.labels),
    )  # fmt: skip
