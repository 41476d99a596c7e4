"""An estimate of what an ablation takes, from a pilot on the beginning of the first document: requests, tokens, time,
money.

The pilot splits, indexes, searches and prompts for real, and puts two prompts to each reader (the first loads the
weights, the second is timed), but none to readers behind an API, whose speed is not known. Strategies with several
rounds are simulated with replies as long as replies may be. Time grows with the characters of the data, requests with
the examples, and with the chunks where there is one request per chunk: right to a factor of about two. Pairs of
paragraphs grow with the square of a document's paragraphs: they are counted in the documents, as many as there may be.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from models.accounting.prices import cost_by
from models.accounting.usage import Usage
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
    """`seconds` is None where a reader's speed is not known, `cost` where it has no prices.

    `warm_cost` is where what prompts of a document begin with is read from servers' caches after the first.
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
        warm_values = [cost for cost in (self.warm_cost, other.warm_cost) if cost is not None]
        return Estimate(
            self.documents + other.documents,
            self.examples + other.examples,
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            (self.seconds or 0.0) + (other.seconds or 0.0) if is_known else None,
            sum(costs) if costs else None,
            sum(warm_values) if warm_values else None,
        )


@dataclass(frozen=True, slots=True)
class _Data:
    documents: int
    examples: int
    characters: int
    pilot: Sequence[Example]  # of the first document, cut to its beginning


def estimate(plans: Sequence[Plan], finished: Sequence[int] = ()) -> Estimate:
    """What these plans over the same examples will take together; equal requests of several plans count twice.

    `finished` has for each plan the number of examples that need not be asked again.
    """
    data = _data(plans[0])
    if not data.pilot:
        return Estimate(0, 0, 0, 0, 0.0, None)
    pilot = _Pilot(data)
    for plan, done in zip(plans, finished or [0] * len(plans), strict=True):
        pilot.add(plan, max(1 - done / data.examples, 0.0))
    return Estimate(data.documents, data.examples, pilot.requests, pilot.tokens, pilot.seconds, pilot.cost, pilot.warm)


class _Pilot:
    """Sums up what plans take on the pilot, scaled to all of the data."""

    def __init__(self, data: _Data) -> None:
        self.pilot, self.cache, self.document = data.pilot, IndexCache(), data.pilot[0].document
        self.size_factor = data.characters / max(len(self.document.text), 1)
        self.length_factor = self.size_factor / data.documents
        self.example_factor = data.examples / len(data.pilot)
        self.requests = self.tokens = 0
        self.seconds: float | None = 0.0
        self.cost: float | None = None
        self.warm: float | None = None
        self.again = 1 - data.documents / data.examples  # the share of examples whose document was asked about before
        self._speeds: dict[str, float | None] = {}
        self._pairs: dict[str, PairSpeed | None] = {}
        self._warmed: set[str] = set()

    def add(self, plan: Plan, share: float = 1.0) -> None:
        """Add a plan of whose examples this share is still to be asked.

        An error makes the time unknown, and is raised again when the plan runs.
        """
        try:
            if isinstance(plan.strategy, PairwiseStrategy):
                self._compare(plan, share)
                return
            self._warm(plan)
            query = self.pilot[0].query if plan.chunker.per_query else None
            indexing, _ = _timed(lambda: self.cache.index(plan, self.document, query))
            asking_value, found_requests = _timed(lambda: _pilot_requests(plan, self.document, self.pilot, self.cache))
            requests, tokens = (round(share * count) for count in self._scaled(plan, found_requests))
            self._count(plan, requests, tokens, self._shared(plan, found_requests))
            self._add_seconds(share * (self.size_factor * indexing + self.example_factor * asking_value))
            speed = self._speed(plan.reader, found_requests)
            self._add_seconds(None if speed is None else tokens * speed)
        except Exception:
            self._add_seconds(None)

    def _compare(self, plan: Plan, share: float) -> None:
        """Add the most pairs there may be, at the measured time of a few of them."""
        tally = count_pairs(plan)
        tokens = plan.reader.count(tally.sample)
        requests, texts = share * tally.bounds.requests[1], share * tally.texts
        self._count(plan, round(requests), round(texts * sum(tokens) / max(len(tokens), 1)))
        if (name := component_key(plan.reader)) not in self._pairs:
            self._pairs[name] = measure_speed(plan.reader, tally.sample)
        seconds = tally.seconds(self._pairs[name])
        self._add_seconds(None if seconds is None else share * seconds[1])

    def _warm(self, plan: Plan) -> None:
        """Load, untimed, what a retriever needs once for all documents."""
        if (name := component_key(plan.retriever)) not in self._warmed:
            self._warmed.add(name)
            prepare(plan, Document("warm", "A word."), [replace(self.pilot[0], document=Document("warm", "A word."))])

    def _shared(self, plan: Plan, pilot_requests: Sequence["_PilotRequest"]) -> float:
        """The share of all prompt tokens that caches can hold, as far as the pilot's later examples show."""
        shared = SharedPrompts(plan.reader.count)
        for request in pilot_requests:
            for prompt in request_log.prompts(request.request):
                shared.add(self.document.id, prompt.text, request.tokens)
        later_tokens = sum(request.tokens for request in pilot_requests) * (1 - 1 / len(self.pilot))
        return self.again * min(shared.cached / later_tokens, 1.0) if later_tokens else 0.0

    def _count(self, plan: Plan, requests: int, tokens: int, shared: float = 0.0) -> None:
        self.requests += requests
        self.tokens += tokens
        longest = plan.max_new_tokens + plan.reader.thinking_tokens
        usage = Usage(tokens, requests * longest)
        warm_value = cost_by(plan.reader.prices, replace(usage, cached_tokens=round(shared * tokens)))
        if (price := cost_by(plan.reader.prices, usage)) is not None and warm_value is not None:
            self.cost, self.warm = (self.cost or 0.0) + price, (self.warm or 0.0) + warm_value

    def _add_seconds(self, seconds: float | None) -> None:
        self.seconds = None if seconds is None or self.seconds is None else self.seconds + seconds

    def _scaled(self, plan: Plan, pilot_requests: Sequence["_PilotRequest"]) -> tuple[int, int]:
        """Requests and prompt tokens of all the data: whole documents have more, or longer ones."""
        grown_value = self._clamped(plan)
        values = [0.0, 0.0]
        for request in pilot_requests:
            requests = grown_value if request.per_chunk else 1.0
            longer = (
                1.0
                if request.per_chunk or not request.tokens
                else _truncated(grown_value * request.tokens, plan) / request.tokens
            )
            values = [values[0] + requests, values[1] + requests * longer * request.tokens]
        return round(self.example_factor * values[0]), round(self.example_factor * values[1])

    def _clamped(self, plan: Plan) -> float:
        """How many times more chunks are selected in whole documents, where the pilot had fewer than `k`."""
        if plan.selection.k is None or plan.chunker.per_query:
            return 1.0 if plan.retriever.takes_k else max(self.length_factor, 1.0)
        number = max(len(self.cache.chunks(plan, self.document, None)), 1)
        return (
            max(min(plan.selection.k, number * self.length_factor) / number, 1.0) if plan.selection.k > number else 1.0
        )

    def _speed(self, reader: Reader, pilot_requests: Sequence["_PilotRequest"]) -> float | None:
        """Seconds per prompt token; None where it is not known: behind an API, or fitted only when the plan runs."""
        if not pilot_requests or isinstance(reader, StreamingReader) or not reader.fitted:
            return None
        if (name := component_key(reader)) not in self._speeds:
            longest = max(pilot_requests, key=lambda request: request.tokens)
            reader.reply([longest.request])
            self._speeds[name] = _timed(lambda: reader.reply([longest.request]))[0] / max(longest.tokens, 1)
        return self._speeds[name]


def _data(plan: Plan) -> _Data:
    """One pass over the data, with one document in memory at a time."""
    documents = examples = characters = 0
    pilot: list[Example] = []
    for document, group in by_document(run_examples(plan)):
        documents, examples, characters = documents + 1, examples + len(group), characters + len(document.text)
        if not pilot:
            start = replace(document, text=document.text[:PILOT_CHARACTERS])
            pilot = [replace(example, document=start, evidence=()) for example in islice(group, PILOT_EXAMPLES)]
    return _Data(documents, examples, characters, pilot)


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    start_time = time.perf_counter()
    value = work()
    return time.perf_counter() - start_time, value


@dataclass(frozen=True, slots=True)
class _PilotRequest:
    request: Request
    tokens: int  # of its prompts
    per_chunk: bool  # whether its job makes one request per chunk


def _pilot_requests(plan: Plan, document: Document, pilot: Sequence[Example], cache: IndexCache) -> list[_PilotRequest]:
    """The requests of the pilot's examples; none for those that fail."""
    session = Session(plan.strategy, plan.reader, plan.max_input_tokens, "", whole_count=plan.document_limit)
    pilot_requests: list[_PilotRequest] = []
    for job in prepare(plan, document, pilot, cache):
        if job.failure is None:
            played_pairs: list[tuple[Request, int]] = []
            with suppress(TooLong):
                for asked_pairs in stand_ins.rounds(session, job, plan.task.labels):
                    played_pairs += asked_pairs
            per_chunk = len(played_pairs) >= max(len(job.selected), 2)
            pilot_requests += [_PilotRequest(request, tokens, per_chunk) for request, tokens in played_pairs]
    return pilot_requests


def _truncated(tokens: float, plan: Plan) -> float:
    """Tokens of a prompt after truncation."""
    return tokens if plan.max_input_tokens is None else min(tokens, plan.max_input_tokens)
