"""What an ablation will take, found out on the beginning of the first document: requests, tokens, time, money.

A pilot splits, indexes, searches and prompts for real, and puts two prompts to each reader (the first one loads the
weights, the second is timed), save to readers behind an API, whose time nobody here knows. Times go up with the
characters of the data, requests with the examples: good to a factor of about two, which is what one wants to know.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from models.fitting import TooLong
from models.requests import Reader, Request
from pipelines.engine.course import cost_of
from pipelines.engine.lane import Lane
from pipelines.engine.local import selected
from pipelines.engine.plan import Plan
from pipelines.engine.prepare import Shelf, by_document, component_key, prepare
from pipelines.records import Document, Example

T = TypeVar("T")

PILOT_CHARACTERS = 40_000
PILOT_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """`seconds` is None where a reader's speed is not known, `cost` where it has no prices."""

    documents: int
    examples: int
    requests: int
    prompt_tokens: int
    seconds: float | None
    cost: float | None

    def plus(self, other: "Estimate") -> "Estimate":
        """Both, one after the other."""
        known = self.seconds is not None and other.seconds is not None
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Estimate(
            self.documents + other.documents,
            self.examples + other.examples,
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            (self.seconds or 0.0) + (other.seconds or 0.0) if known else None,
            sum(costs) if costs else None,
        )


@dataclass(frozen=True, slots=True)
class _Data:
    documents: int
    examples: int
    characters: int
    pilot: Sequence[Example]  # of the first document, cut to its beginning


def estimate(plans: Sequence[Plan]) -> Estimate:
    """What these plans over the same examples will take together; equal requests of several plans count twice."""
    data = _data(plans[0])
    if not data.pilot:
        return Estimate(0, 0, 0, 0, 0.0, None)
    pilot = _Pilot(data)
    for plan in plans:
        pilot.add(plan)
    return Estimate(data.documents, data.examples, pilot.requests, pilot.tokens, pilot.seconds, pilot.cost)


class _Pilot:
    """Counts up what plans take on the pilot, scaled to all of the data."""

    def __init__(self, data: _Data) -> None:
        self.pilot, self.shelf, self.document = data.pilot, Shelf(), data.pilot[0].document
        self.larger = data.characters / max(len(self.document.text), 1)
        self.longer = self.larger / data.documents
        self.more = data.examples / len(data.pilot)
        self.requests = self.tokens = 0
        self.seconds: float | None = 0.0
        self.cost: float | None = None
        self._speeds: dict[str, float | None] = {}
        self._warmed: set[str] = set()

    def add(self, plan: Plan) -> None:
        """One more plan; what cannot be tried makes the time unknown, and is said when it comes to running."""
        try:
            self._warm(plan)
            query = self.pilot[0].query if plan.chunker.per_query else None
            indexing, _ = _timed(lambda: self.shelf.index(plan, self.document, query))
            asking, asked = _timed(lambda: _asked(plan, self.document, self.pilot, self.shelf))
            tokens = self.more * sum(count for _, count in asked) * self._clamped(plan)
            self._count(plan, round(self.more * len(asked)), round(tokens))
            self._take(self.larger * indexing + self.more * asking)
            speed = self._speed(plan.reader, asked)
            self._take(None if speed is None else tokens * speed)
        except Exception:
            self._take(None)

    def _warm(self, plan: Plan) -> None:
        """Load, untimed, what a retriever needs once for all documents."""
        if (name := component_key(plan.retriever)) not in self._warmed:
            self._warmed.add(name)
            prepare(plan, Document("warm", "A word."), [replace(self.pilot[0], document=Document("warm", "A word."))])

    def _count(self, plan: Plan, requests: int, tokens: int) -> None:
        self.requests += requests
        self.tokens += tokens
        if (price := cost_of(plan.reader, tokens, requests * plan.length)) is not None:
            self.cost = (self.cost or 0.0) + price

    def _take(self, seconds: float | None) -> None:
        self.seconds = None if seconds is None or self.seconds is None else self.seconds + seconds

    def _clamped(self, plan: Plan) -> float:
        """How many times more chunks whole documents give, where the pilot had fewer than the plan selects."""
        if plan.k is None or plan.chunker.per_query:
            return 1.0 if plan.retriever.selects else max(self.longer, 1.0)
        there = max(len(self.shelf.chunks(plan, self.document, None)), 1)
        return max(min(plan.k, there * self.longer) / there, 1.0) if plan.k > there else 1.0

    def _speed(self, reader: Reader, asked: Sequence[tuple[Request, int]]) -> float | None:
        """Seconds a prompt's token, None where nobody knows: behind an API, fitted only when it comes to running."""
        if not asked or hasattr(reader, "stream") or hasattr(reader, "fit"):
            return None
        if (name := component_key(reader)) not in self._speeds:
            request, tokens = max(asked, key=lambda pair: pair[1])
            reader.reply([request])
            self._speeds[name] = _timed(lambda: reader.reply([request]))[0] / max(tokens, 1)
        return self._speeds[name]


def _data(plan: Plan) -> _Data:
    """One pass over the data, which holds one document at a time."""
    documents = examples = characters = 0
    pilot: list[Example] = []
    for document, group in by_document(selected(plan)):
        documents, examples, characters = documents + 1, examples + len(group), characters + len(document.text)
        if not pilot:
            start = replace(document, text=document.text[:PILOT_CHARACTERS])
            pilot = [replace(example, document=start, evidence=()) for example in islice(group, PILOT_EXAMPLES)]
    return _Data(documents, examples, characters, pilot)


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    begun = time.perf_counter()
    found = work()
    return time.perf_counter() - begun, found


def _asked(plan: Plan, document: Document, pilot: Sequence[Example], shelf: Shelf) -> list[tuple[Request, int]]:
    """The requests of the first round with their prompts' tokens; none for examples that cannot be asked."""
    lane = Lane(plan.strategy, plan.reader, plan.max_input_tokens, "", whole=plan.whole)
    found: list[tuple[Request, int]] = []
    for item in prepare(plan, document, pilot, shelf):
        if item.job is not None:
            try:
                found += [lane.fitted(request) for request in lane.first_requests(item)]
            except TooLong:
                continue
    return found
