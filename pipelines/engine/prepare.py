"""One document and all that is asked of it: split and indexed once, a selection for each example.

Several plans share what is alike: a document is split once for each chunker, indexed once for each retriever.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from chunkers import Chunk
from longdoc.registry import describe
from models.truncation import TooLong
from pipelines.engine.encoder_counts import EncoderCounts
from pipelines.engine.plan import Plan
from pipelines.engine.rankings import checked_ranking, checked_rankings
from pipelines.records import Document, Example
from pipelines.strategies import Job
from retrievers import CentroidIndex, Ids, Index, Scores


@dataclass(frozen=True, slots=True)
class Prepared:
    """A job and the scores of what was selected for it, or why there is none."""

    example: Example
    job: Job | None
    selected: tuple[tuple[int, int, float], ...] = ()
    failure: str | None = None
    remark: str | None = None  # of the chunker
    encoded: EncoderCounts | None = field(default=None, compare=False, repr=False)


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


def prepare(
    plan: Plan, document: Document, examples: Sequence[Example], cache: "IndexCache | None" = None
) -> list[Prepared]:
    """Jobs for the examples of one document, in order. `cache` holds what other plans made of this document."""
    cache = cache or IndexCache()
    if plan.chunker.per_query:
        return [_DocumentJobs(plan, document, cache, example.query).prepare([example])[0] for example in examples]
    return _DocumentJobs(plan, document, cache).prepare(examples)


class IndexCache:
    """The chunks and indexes of one document, by the description of what made them."""

    def __init__(self) -> None:
        self._things: dict[Any, Any] = {}

    def chunks(self, plan: Plan, document: Document, query: str | None) -> list[Chunk]:
        """The document split by the plan's chunker."""
        key = (_chunker_key(plan), query)
        if key not in self._things:
            self._things[key] = plan.chunker.split(document.text, query)
        return cast(list[Chunk], self._things[key])

    def index(self, plan: Plan, document: Document, query: str | None) -> Index:
        """The index of these chunks by the plan's retriever."""
        key = (_chunker_key(plan), query, component_key(plan.retriever))
        if key not in self._things:
            self._things[key] = plan.retriever.index(self.chunks(plan, document, query))
        return cast(Index, self._things[key])


def component_key(component: Any, record: Any = None) -> str:
    """What components share that do the same: the description, and for objects that have none the object itself."""
    text = json.dumps(describe(component) if record is None else record, sort_keys=True, default=id)
    return f"{text} {id(component)}" if '"repeatable": false' in text else text


def _chunker_key(plan: Plan) -> str:
    key = component_key(plan.chunker, plan.chunker_record)
    by_reader = plan.chunker_record.get("unit") == "reader"  # as long as this reader's tokens are
    return f"{key} {component_key(plan.reader)}" if by_reader else key


@dataclass(slots=True)
class _DocumentJobs:
    """A document, split and indexed, with the questions to it coming in."""

    plan: Plan
    document: Document
    cache: IndexCache
    query: str | None = None
    chunks: list[Chunk] = field(init=False)
    index: Index = field(init=False)
    remark: str | None = field(init=False, default=None)
    _tokens: list[int] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.chunks = self.cache.chunks(self.plan, self.document, self.query)
        self.index = self.cache.index(self.plan, self.document, self.query)
        self.remark = self.plan.chunker.remark(self.document.text)

    def prepare(self, examples: Sequence[Example]) -> list[Prepared]:
        if self.plan.query == "centroid":
            row = cast(CentroidIndex, self.index).centroid(self.plan.k)
            ranked = checked_ranking(self.plan.retriever, row, self._width(self.plan.k), len(self.chunks))
            return [self._prepared(example, *ranked) for example in examples]
        found = self.search([self._asked(example) for example in examples], self.plan.k)
        return [self._ranked(example, *row) for example, *row in zip(examples, *found, strict=True)]

    def search(self, queries: Sequence[str], k: int | None) -> tuple[Scores, Ids]:
        """What the retriever finds. Raises `UserError` where it gives what is no ranking."""
        found = self.index.search(queries, k)
        return checked_rankings(self.plan.retriever, found, len(queries), self._width(k), len(self.chunks))

    def _width(self, k: int | None) -> int:
        return len(self.chunks) if k is None else min(k, len(self.chunks))

    def _encoded(self, example: Example) -> EncoderCounts:
        encoded = EncoderCounts(self.index, self.plan.chunker.per_query)
        if self.plan.query != "centroid":
            encoded.ask(self._asked(example))
        return encoded

    def _ranked(self, example: Example, scores: Scores, ids: Ids) -> Prepared:
        if self.plan.retriever.query_source == "references" and not example.references:
            return Prepared(example, None, failure="its chunks are ranked by references, and it has none")
        return self._prepared(example, scores, ids)

    def _asked(self, example: Example) -> str:
        """What the retriever is asked with (see `retrievers.Retriever`)."""
        kind = self.plan.retriever.query_source
        if kind == "references":
            return "\n".join(" ".join(reference.split()) for reference in example.references)
        return example.id if kind == "id" else example.query

    def _prepared(self, example: Example, scores: Scores, ids: Ids) -> Prepared:
        width = len(ids)
        if self.plan.budget is not None:
            try:
                width = self._within_budget(example, ids, self.plan.budget)
            except TooLong as error:
                return Prepared(example, None, failure=_over_budget(error))
        ranked = [int(i) for i in ids[:width]]
        values = {i: float(score) for i, score in zip(ranked, scores, strict=False)}
        shown = sorted(ranked) if self.plan.order == "document" else ranked
        ranks = {self.chunks[i].start: r for r, i in enumerate(ranked)}
        encoded = self._encoded(example)
        job = self._job(example, [self.chunks[i] for i in shown], ranks, encoded)
        spans = tuple((self.chunks[i].start, self.chunks[i].end, round(values[i], 6)) for i in shown)
        return Prepared(example, job, spans, remark=self.remark, encoded=encoded)

    def _job(
        self, example: Example, selected: list[Chunk], ranks: dict[int, int], encoded: EncoderCounts | None = None
    ) -> Job:
        plan = self.plan
        search = partial(_search, self, encoded)
        limit, count = plan.max_input_tokens, plan.reader.count
        return Job(example, self.chunks, selected, ranks, plan.length, plan.template, search, plan.order, limit, count)

    def _within_budget(self, example: Example, ids: Ids, budget: int) -> int:
        """How many of the best chunks fit a prompt of `budget` tokens, as the reader counts. Raises `TooLong`."""
        bare = self._job(example, [], {}).prompt()
        fixed = self.plan.reader.count([bare.text])[0]
        if fixed >= budget:
            raise TooLong(fixed, budget)
        if self._tokens is None:
            self._tokens = self.plan.reader.count([chunk.text for chunk in self.chunks])
        width, total = 0, fixed
        for i in ids:
            total += self._tokens[i]
            if total > budget:
                break
            width += 1
        return self._verified(example, ids, width, budget)

    def _verified(self, example: Example, ids: Ids, width: int, budget: int) -> int:
        """Tokens of the parts do not quite add up to those of the whole: shrink until the whole prompt fits."""
        while width > 1:
            chunks = [self.chunks[i] for i in ids[:width]]
            prompt = self._job(example, chunks, {}).prompt(chunks)
            if self.plan.reader.count([prompt.text])[0] <= budget:
                break
            width -= 1
        return max(width, min(1, len(ids)))  # the best chunk is shown in any case; the prompt is cut to the budget


def _search(jobs: _DocumentJobs, encoded: EncoderCounts | None, query: str, k: int | None) -> list[Chunk]:
    if encoded is not None:
        encoded.ask(query)
    _, ids = jobs.search([query], k or jobs.plan.k)
    return [jobs.chunks[i] for i in ids[0]]


def _over_budget(error: TooLong) -> str:
    return f"a budget of {error.limit} tokens is used up by the question ({error.fixed} tokens); raise budget"
