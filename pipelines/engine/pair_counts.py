"""How many pairs of texts a run compares, how long that takes, and what to type where it is long.

Pairs go up as the square of a document's paragraphs, and a strategy that assigns authors knows only how many it takes
at least and at most: which ones are left to decide depends on replies. The time is measured on some texts of the first
document: what a text costs that is new, and what a pair costs. A reader that is fitted when it comes to running is
tried as a copy that learned made-up authors of these texts, since what was learned does not change how long it takes.
Nothing is asked of a reader behind an API. Good to a factor of about two.
"""

import dataclasses
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from longdoc.errors import UserError
from models.likelihood import Likelihood
from models.requests import Compare, Reader, TrainingExample
from pipelines.engine.plan import Plan
from pipelines.engine.prepare import by_document
from pipelines.engine.sampling import run_examples
from pipelines.records import Document, Example
from pipelines.results.records import PairCounts
from pipelines.strategies import PairBounds, PairwiseStrategy

TIMED, MANY = 10_000, 100_000  # pairs: from when on they are timed, and told of before a run
LONG = 60.0  # seconds: told of too
TEXTS, PAIRS, ENOUGH = 40, 32, 0.3  # timed together; pairs are doubled until they take so many seconds
CHARACTERS = 64_000_000  # of documents that are counted before a run


@dataclass(slots=True)
class PairTally:
    """What documents take so far; `whole` is false where there are more of them. `sample`: texts to time."""

    documents: int = 0
    texts: int = 0
    comparisons: PairBounds = field(default_factory=PairBounds)
    sample: tuple[str, ...] = ()
    whole: bool = True

    def add(self, strategy: PairwiseStrategy, texts: Sequence[str]) -> None:
        """One more document, or one more example of it."""
        self.documents += 1
        self.texts += len(texts)
        self.comparisons = self.comparisons.plus(strategy.comparisons(len(texts)))
        if len(self.sample) < TEXTS:
            self.sample = (*self.sample, *texts[: TEXTS - len(self.sample)])

    def told(self, strategy: PairwiseStrategy, reader: Reader) -> PairCounts:
        """The bounds, and for many pairs how long they take and what to type for fewer."""
        found = self.comparisons
        if found.pairs[1] < TIMED:
            return PairCounts(found.requests, found.pairs)
        seconds = self.seconds(measure_speed(reader, self.sample))
        return PairCounts(found.requests, found.pairs, seconds, strategy.fewer)

    def seconds(self, speed: "PairSpeed | None") -> tuple[float, float] | None:
        """How long the fewest and the most pairs take; None where the reader's speed is not known."""
        if speed is None:
            return None
        low, high = (self.texts * speed.text + pairs * speed.pair for pairs in self.comparisons.pairs)
        return low, high


@dataclass(frozen=True, slots=True)
class PairSpeed:
    """Seconds a text that is compared for the first time, and seconds a pair."""

    text: float
    pair: float


def count_pairs(plan: Plan, wanted: Callable[[Example], bool] = lambda _: True, most: int | None = None) -> PairTally:
    """The pairs of a plan's wanted examples, by their documents' chunks alone; over `most` characters it stops.

    Raises `UserError` for data that cannot be read.
    """
    found, characters = PairTally(), 0
    assert isinstance(plan.strategy, PairwiseStrategy)
    for document, examples in by_document(run_examples(plan)):
        if most is not None and characters > most:
            found.whole = False
            break
        characters += len(document.text)
        for example in filter(wanted, examples):
            found.add(plan.strategy, _texts(plan, document, example))
    return found


def warn(plan: Plan, wanted: Callable[[Example], bool]) -> None:
    """Say before a run that it compares many pairs, how long that takes, and what to type for fewer."""
    if not isinstance(plan.strategy, PairwiseStrategy):
        return
    try:
        found = count_pairs(plan, wanted, CHARACTERS)
    except UserError:  # said when the data are read
        return
    told = found.told(plan.strategy, plan.reader)
    if told.pairs[1] >= MANY or (told.seconds is not None and told.seconds[1] > LONG):
        documents = f"{'' if found.whole else 'the first '}{found.documents:,} document{'s' * (found.documents != 1)}"
        print(f"longdoc: {documents}: {'; '.join(line.strip() for line in str(told).splitlines())}", file=sys.stderr)


def measure_speed(reader: Reader, texts: Sequence[str]) -> PairSpeed | None:
    """The reader's speed on a few texts, its weights loaded before; None where it is not known."""
    if len(texts) < 3 or hasattr(_inner(reader), "stream"):
        return None
    new = tuple(f"{text} {secrets.token_hex(4)}" for text in texts)  # of which nothing is kept from earlier
    pairs = tuple(combinations(range(len(new)), 2))
    try:
        ready = _ready(reader, tuple(texts))
        if ready is None:
            return None
        ready.reply([Compare(tuple(texts[:2]), ((0, 1),))])
        first = _timed(ready, new, pairs[:1])
        size = PAIRS
        while (taken := _timed(ready, new, pairs[:size])) < ENOUGH and size < len(pairs):
            size *= 2
    except UserError:  # no weights, say: told when it comes to running
        return None
    a_pair = taken / len(pairs[:size])
    return PairSpeed(max(first - a_pair, 0.0) / len(new), a_pair)


def _ready(reader: Any, texts: tuple[str, ...]) -> Any:
    """The reader, or a copy of one that is still to be fitted, with authors made up; None if it cannot be copied."""
    if not hasattr(reader, "fit") or getattr(reader, "fitted", False):
        return reader
    if not dataclasses.is_dataclass(reader) or isinstance(reader, type):
        return None
    copy: Any = dataclasses.replace(reader)
    copy.fit([TrainingExample(Compare(texts, ()), (",".join(str(1 + place // 2 % 2) for place in range(len(texts))),))])
    return copy


def _inner(reader: Reader) -> Reader:
    return reader.reader if isinstance(reader, Likelihood) else reader


def _timed(reader: Reader, texts: tuple[str, ...], pairs: tuple[tuple[int, int], ...]) -> float:
    begun = time.perf_counter()
    (reply,) = reader.reply([Compare(texts, pairs)])
    if reply.error is not None:
        raise UserError(reply.error)
    return time.perf_counter() - begun


def _texts(plan: Plan, document: Document, example: Example) -> Sequence[str]:
    chunks = plan.chunker.split(document.text, example.query if plan.chunker.per_query else None)
    return [chunk.text for chunk in (chunks if plan.k is None else chunks[: plan.k])]
