"""The number of pairs of texts that a run compares, how long that takes, and what to type to compare fewer.

The pairs grow as the square of a document's paragraphs. A strategy that assigns authors knows only their least and
greatest number, since which ones it needs depends on replies. The time is measured on some texts of the first document:
seconds per new text and seconds per pair. Of a reader that the run has to fit, a copy is timed that was fitted to
made-up authors of these texts: what it learned does not change its speed. A reader behind an API is not timed. The
estimate is good to a factor of about two.
"""

import dataclasses
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from longdoc.errors import UserError
from longdoc.messages import counted, note
from models.likelihood import Likelihood
from models.reader import Reader, StreamingReader
from models.requests import Compare, TrainingExample
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.preparation.prepare import by_document
from pipelines.records import Document, Example
from pipelines.results.dry_runs.dry_run import PairCounts
from pipelines.strategies import PairBounds, PairwiseStrategy

TIMED_PAIRS, REPORTED_PAIRS = 10_000, 100_000  # from so many pairs on they are timed, and reported before a run
REPORTED_SECONDS = 60.0  # an estimate over this is reported as well
TEXTS, PAIRS, ENOUGH_SECONDS = 40, 32, 0.3  # of the timing: pairs are doubled until they take so many seconds
CHARACTERS = 64_000_000  # of documents whose pairs are counted before a run


@dataclass(slots=True)
class PairTally:
    """Bounds of the pairs in the documents so far; `complete` is False where more documents follow.

    `sample` are texts to time.
    """

    documents: int = 0
    texts: int = 0
    bounds: PairBounds = field(default_factory=PairBounds)
    sample: tuple[str, ...] = ()
    complete: bool = True

    def add(self, strategy: PairwiseStrategy, texts: Sequence[str]) -> None:
        """Add one document, or one example of it."""
        self.documents += 1
        self.texts += len(texts)
        self.bounds = self.bounds.plus(strategy.comparisons(len(texts)))
        if len(self.sample) < TEXTS:
            self.sample = (*self.sample, *texts[: TEXTS - len(self.sample)])

    def counts(self, strategy: PairwiseStrategy, reader: Reader) -> PairCounts:
        """The bounds; for many pairs with their time and what to type for fewer."""
        bounds = self.bounds
        if bounds.pairs[1] < TIMED_PAIRS:
            return PairCounts(bounds.requests, bounds.pairs)
        seconds = self.seconds(measure_speed(reader, self.sample))
        return PairCounts(bounds.requests, bounds.pairs, seconds, strategy.hint)

    def seconds(self, speed: "PairSpeed | None") -> tuple[float, float] | None:
        """The time of the fewest and of the most pairs in seconds; None where the reader's speed is not known."""
        if speed is None:
            return None
        low, high = (self.texts * speed.per_text + pairs * speed.per_pair for pairs in self.bounds.pairs)
        return low, high


@dataclass(frozen=True, slots=True)
class PairSpeed:
    """Seconds per text that is compared for the first time, and seconds per pair."""

    per_text: float
    per_pair: float


def count_pairs(
    plan: Plan, is_wanted: Callable[[Example], bool] = lambda _: True, maximum: int | None = None
) -> PairTally:
    """Count the pairs of a plan's wanted examples from their chunks alone, up to `maximum` characters of documents.

    Raises `UserError` for data that cannot be read.
    """
    tally, characters = PairTally(), 0
    assert isinstance(plan.strategy, PairwiseStrategy)
    for document, examples in by_document(run_examples(plan)):
        if maximum is not None and characters > maximum:
            tally.complete = False
            break
        characters += len(document.text)
        for example in filter(is_wanted, examples):
            tally.add(plan.strategy, _chunk_texts(plan, document, example))
    return tally


def warn(plan: Plan, is_wanted: Callable[[Example], bool]) -> None:
    """Print a note where a run compares many pairs: how long that takes, and what to type for fewer."""
    if not isinstance(plan.strategy, PairwiseStrategy):
        return
    try:
        tally = count_pairs(plan, is_wanted, CHARACTERS)
    except UserError:  # reported when the data are read
        return
    counts = tally.counts(plan.strategy, plan.reader)
    if counts.pairs[1] >= REPORTED_PAIRS or (counts.seconds is not None and counts.seconds[1] > REPORTED_SECONDS):
        documents = counted(tally.documents, "document")
        documents = documents if tally.complete else f"the first {documents}"
        note(f"{documents}: {'; '.join(line.strip() for line in str(counts).splitlines())}")


def measure_speed(reader: Reader, texts: Sequence[str]) -> PairSpeed | None:
    """The reader's speed on a few texts, after its weights are loaded; None where it cannot be measured."""
    if len(texts) < 3 or isinstance(_inner(reader), StreamingReader):
        return None
    fresh = tuple(f"{text} {secrets.token_hex(4)}" for text in texts)  # so that no cache has them
    pairs = tuple(combinations(range(len(fresh)), 2))
    try:
        ready = _ready(reader, tuple(texts))
        if ready is None:
            return None
        ready.reply([Compare(tuple(texts[:2]), ((0, 1),))])
        first_seconds = _timed(ready, fresh, pairs[:1])
        size = PAIRS
        while (seconds := _timed(ready, fresh, pairs[:size])) < ENOUGH_SECONDS and size < len(pairs):
            size *= 2
    except UserError:  # such as missing weights; reported by the run
        return None
    per_pair = seconds / len(pairs[:size])
    return PairSpeed(max(first_seconds - per_pair, 0.0) / len(fresh), per_pair)


def _ready(reader: Reader, texts: tuple[str, ...]) -> Reader | None:
    """The reader, or a fitted copy of a reader that is not fitted yet; None where it cannot be copied."""
    if reader.fitted:
        return reader
    if not dataclasses.is_dataclass(reader):
        return None
    copy = dataclasses.replace(reader)
    copy.fit([TrainingExample(Compare(texts, ()), (",".join(str(1 + place // 2 % 2) for place in range(len(texts))),))])
    return copy


def _inner(reader: Reader) -> Reader:
    """The reader itself, where it is adapted to compare texts."""
    return reader.reader if isinstance(reader, Likelihood) else reader


def _timed(reader: Reader, texts: tuple[str, ...], pairs: tuple[tuple[int, int], ...]) -> float:
    """The seconds that a reader takes to compare these pairs of texts. Raises `UserError` where it fails."""
    started = time.perf_counter()
    (reply,) = reader.reply([Compare(texts, pairs)])
    if reply.error is not None:
        raise UserError(reply.error)
    return time.perf_counter() - started


def _chunk_texts(plan: Plan, document: Document, example: Example) -> Sequence[str]:
    """The texts that are compared for an example: of the document's first `k` chunks, or of all."""
    query = example.query if plan.chunker.per_query else None
    chunks = plan.chunker.split_document(document.text, document.layout, query)
    return [chunk.text for chunk in (chunks if plan.selection.k is None else chunks[: plan.selection.k])]
