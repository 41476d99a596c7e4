"""An estimate of an ablation's requests, tokens, time and cost, from a pilot on the beginning of the first document.

The pilot splits, indexes, searches and prompts for real, and puts two prompts to each reader (the first loads the
weights, the second is timed), but none to readers behind an API, whose speed is not known. Strategies with several
rounds are simulated with replies as long as replies may be. Time grows with the characters of the data, requests with
the examples, and with the chunks where there is one request per chunk: right to a factor of about two. Pairs of
paragraphs grow with the square of a document's paragraphs: their greatest number is counted in the documents.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from models.accounting import Usage, cost_by
from models.reader import Reader, StreamingReader
from models.requests import Request
from models.truncation import TooLong
from pipelines.engine.estimate import stand_ins
from pipelines.engine.estimate.pair_counts import PairSpeed, count_pairs, measure_speed
from pipelines.engine.inference.session import Session
from pipelines.engine.inference.shared_prompts import SharedPrompts
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.preparation.index_cache import IndexCache, component_key
from pipelines.engine.preparation.prepare import by_document, prepare
from pipelines.engine.recording import request_log
from pipelines.records import Document, Example
from pipelines.strategies import PairwiseStrategy

T = TypeVar("T")

PILOT_CHARACTERS = 40_000
PILOT_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """The counts, the time and the cost of an ablation.

    `seconds` is None where a reader's speed is not known, `cost` where it has no prices. `warm_cost` is the cost where
    servers read the common beginning of a document's prompts from their caches.
    """

    documents: int
    examples: int
    requests: int
    prompt_tokens: int
    seconds: float | None
    cost: float | None
    warm_cost: float | None = None

    def plus(self, other: "Estimate") -> "Estimate":
        """The sum of two estimates."""
        is_known = self.seconds is not None and other.seconds is not None
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        warm_costs = [cost for cost in (self.warm_cost, other.warm_cost) if cost is not None]
        return Estimate(
            self.documents + other.documents,
            self.examples + other.examples,
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            (self.seconds or 0.0) + (other.seconds or 0.0) if is_known else None,
            sum(costs) if costs else None,
            sum(warm_costs) if warm_costs else None,
        )


@dataclass(frozen=True, slots=True)
class _Data:
    """The counts of the data, and the pilot's examples."""

    documents: int
    examples: int
    characters: int
    pilot: Sequence[Example]  # of the first document, cut to its beginning


def estimate(plans: Sequence[Plan], finished: Sequence[int] = ()) -> Estimate:
    """The estimate for plans over the same examples together. Equal requests of several plans count several times.

    `finished` has for each plan the number of examples that are finished already.
    """
    data = _data(plans[0])
    if not data.pilot:
        return Estimate(0, 0, 0, 0, 0.0, None)
    pilot = _Pilot(data)
    for plan, done in zip(plans, finished or [0] * len(plans), strict=True):
        pilot.add(plan, max(1 - done / data.examples, 0.0))
    return Estimate(data.documents, data.examples, pilot.requests, pilot.tokens, pilot.seconds, pilot.cost, pilot.warm)


class _Pilot:
    """Sums of the requests, tokens, time and cost of plans on the pilot, scaled to all of the data."""

    def __init__(self, data: _Data) -> None:
        self.pilot, self.cache, self.document = data.pilot, IndexCache(), data.pilot[0].document
        self.size_factor = data.characters / max(len(self.document.text), 1)
        self.length_factor = self.size_factor / data.documents
        self.example_factor = data.examples / len(data.pilot)
        self.requests = self.tokens = 0
        self.seconds: float | None = 0.0
        self.cost: float | None = None
        self.warm: float | None = None
        self.repeated = 1 - data.documents / data.examples  # the share of examples with the document of an earlier one
        self._speeds: dict[str, float | None] = {}
        self._pairs: dict[str, PairSpeed | None] = {}
        self._warmed: set[str] = set()

    def add(self, plan: Plan, share: float = 1.0) -> None:
        """Add a plan with this share of its examples left to ask.

        An error makes the time unknown, and is raised again when the plan runs.
        """
        try:
            if isinstance(plan.strategy, PairwiseStrategy):
                self._compare(plan, share)
                return
            self._warm(plan)
            query = self.pilot[0].query if plan.chunker.per_query else None
            indexing_seconds, _ = _timed(lambda: self.cache.index(plan, self.document, query))
            asking_seconds, pilot_requests = _timed(
                lambda: _pilot_requests(plan, self.document, self.pilot, self.cache)
            )
            requests, tokens = (round(share * count) for count in self._scaled(plan, pilot_requests))
            self._count(plan, requests, tokens, self._shared(plan, pilot_requests))
            self._add_seconds(share * (self.size_factor * indexing_seconds + self.example_factor * asking_seconds))
            speed = self._speed(plan.reader, pilot_requests)
            self._add_seconds(None if speed is None else tokens * speed)
        except Exception:
            self._add_seconds(None)

    def _compare(self, plan: Plan, share: float) -> None:
        """Add the greatest number of pairs, at the measured time of a few of them."""
        tally = count_pairs(plan)
        tokens = plan.reader.count(tally.sample)
        requests, texts = share * tally.bounds.requests[1], share * tally.texts
        self._count(plan, round(requests), round(texts * sum(tokens) / max(len(tokens), 1)))
        if (name := component_key(plan.reader)) not in self._pairs:
            self._pairs[name] = measure_speed(plan.reader, tally.sample)
        seconds = tally.seconds(self._pairs[name])
        self._add_seconds(None if seconds is None else share * seconds[1])

    def _warm(self, plan: Plan) -> None:
        """Let a retriever load what it needs for all documents, before anything is timed."""
        if (name := component_key(plan.retriever)) not in self._warmed:
            self._warmed.add(name)
            prepare(plan, Document("warm", "A word."), [replace(self.pilot[0], document=Document("warm", "A word."))])

    def _shared(self, plan: Plan, pilot_requests: Sequence["_PilotRequest"]) -> float:
        """The share of all prompt tokens that servers can read from their caches, as estimated from the pilot."""
        shared = SharedPrompts(plan.reader.count)
        for request in pilot_requests:
            for prompt in request_log.prompts(request.request):
                shared.add(self.document.id, prompt.text, request.tokens)
        later_tokens = sum(request.tokens for request in pilot_requests) * (1 - 1 / len(self.pilot))
        return self.repeated * min(shared.cached / later_tokens, 1.0) if later_tokens else 0.0

    def _count(self, plan: Plan, requests: int, tokens: int, shared: float = 0.0) -> None:
        """Add requests and prompt tokens, and their cost; a share of the tokens can come from caches."""
        self.requests += requests
        self.tokens += tokens
        longest = plan.max_new_tokens + plan.reader.thinking_tokens
        usage = Usage(tokens, requests * longest)
        warm_cost = cost_by(plan.reader.prices, replace(usage, cached_tokens=round(shared * tokens)))
        if (price := cost_by(plan.reader.prices, usage)) is not None and warm_cost is not None:
            self.cost, self.warm = (self.cost or 0.0) + price, (self.warm or 0.0) + warm_cost

    def _add_seconds(self, seconds: float | None) -> None:
        """Add to the time, which is None from then on where `seconds` is."""
        self.seconds = None if seconds is None or self.seconds is None else self.seconds + seconds

    def _scaled(self, plan: Plan, pilot_requests: Sequence["_PilotRequest"]) -> tuple[int, int]:
        """The requests and prompt tokens of all the data: whole documents have more requests, or longer ones."""
        growth = self._growth(plan)
        requests = tokens = 0.0
        for request in pilot_requests:
            times = growth if request.per_chunk else 1.0
            length = request.tokens if request.per_chunk else _truncated(growth * request.tokens, plan)
            requests, tokens = requests + times, tokens + times * length
        return round(self.example_factor * requests), round(self.example_factor * tokens)

    def _growth(self, plan: Plan) -> float:
        """How many times as many chunks are selected from whole documents as from the pilot's beginning of one."""
        if plan.selection.k is None or plan.chunker.per_query:
            return 1.0 if plan.retriever.takes_k else max(self.length_factor, 1.0)
        chunks = max(len(self.cache.chunks(plan, self.document, None)), 1)
        return max(min(plan.selection.k, chunks * self.length_factor) / chunks, 1.0)

    def _speed(self, reader: Reader, pilot_requests: Sequence["_PilotRequest"]) -> float | None:
        """The reader's seconds per prompt token; None behind an API, and for a reader that the run fits."""
        if not pilot_requests or isinstance(reader, StreamingReader) or not reader.fitted:
            return None
        if (name := component_key(reader)) not in self._speeds:
            longest = max(pilot_requests, key=lambda request: request.tokens)
            reader.reply([longest.request])
            self._speeds[name] = _timed(lambda: reader.reply([longest.request]))[0] / max(longest.tokens, 1)
        return self._speeds[name]


def _data(plan: Plan) -> _Data:
    """The counts and the pilot of a plan's data, in one pass with one document in memory at a time."""
    documents = examples = characters = 0
    pilot: list[Example] = []
    for document, group in by_document(run_examples(plan)):
        documents, examples, characters = documents + 1, examples + len(group), characters + len(document.text)
        if not pilot:
            start = replace(document, text=document.text[:PILOT_CHARACTERS])
            pilot = [replace(example, document=start, evidence=()) for example in islice(group, PILOT_EXAMPLES)]
    return _Data(documents, examples, characters, pilot)


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    """The seconds that some work takes, and its result."""
    start_time = time.perf_counter()
    result = work()
    return time.perf_counter() - start_time, result


@dataclass(frozen=True, slots=True)
class _PilotRequest:
    """A request of the pilot, with its prompts' tokens, and whether its job makes one request per chunk."""

    request: Request
    tokens: int
    per_chunk: bool


def _pilot_requests(plan: Plan, document: Document, pilot: Sequence[Example], cache: IndexCache) -> list[_PilotRequest]:
    """The requests of the pilot's examples, without those of examples that fail."""
    session = Session(plan.strategy, plan.reader, plan.max_input_tokens, "", whole_limit=plan.document_limit)
    pilot_requests: list[_PilotRequest] = []
    for job in prepare(plan, document, pilot, cache):
        if job.failure is None:
            requests: list[tuple[Request, int]] = []
            with suppress(TooLong):
                for round_requests in stand_ins.rounds(session, job, plan.task.labels):
                    requests += round_requests
            per_chunk = len(requests) >= max(len(job.selected), 2)
            pilot_requests += [_PilotRequest(request, tokens, per_chunk) for request, tokens in requests]
    return pilot_requests


def _truncated(tokens: float, plan: Plan) -> float:
    """Tokens of a prompt after truncation."""
    return tokens if plan.max_input_tokens is None else min(tokens, plan.max_input_tokens)
