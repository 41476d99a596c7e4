"""How often the intervals of `longdoc analyze curve` hold the truth: simulated systems whose curves are known.

Documents have lengths from 4,096 to 131,071, each octave a bin of as many documents, and questions that are answered
right or wrong, easy or hard as the document is. The first system's share of right answers falls with the logarithm of
the length, the second's is level, or rises in one step. Each draw is computed as the program does. Run:
python -m benchmarks.curves
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import inf

import numpy as np

from benchmarks.results import publish, table
from pipelines.plugins.study.statistics.curves import crossover, kept_bin
from pipelines.statistics.bootstrap import LEVEL, bounds
from pipelines.statistics.sample import Counts, Floats, product, resample_counts

DOCUMENTS = (5, 10, 20)  # in a bin
DRAWS = 200
RESAMPLES = 1_000
QUESTIONS = 6  # of a document on average, where their numbers differ 1 to 11
BINS = range(12, 17)  # octaves
MIDDLES = [2.0 ** (octave + 0.5) for octave in BINS]
SPREAD = 8.0  # of a document's share of right answers: a + b of its beta distribution
SHARE = 0.85
Shares = Callable[[Floats], Floats]  # from log2 of lengths to shares of right answers


def falling(octaves: Floats) -> Floats:
    """From 0.8 at 4,096 to 0.3 at 131,072."""
    return 0.8 - 0.1 * (octaves - 12)


def level(share: float) -> Shares:
    """The same at all lengths."""
    return lambda octaves: np.full(octaves.shape, share)


def step(octaves: Floats) -> Floats:
    """0.1 less than `falling` up to 2^14.5, from there on 0.1 more."""
    return falling(octaves) + np.where(octaves < 14.5, -0.1, 0.1)


@dataclass(frozen=True)
class SecondSystem:
    """A system, and the length from which on it is better than the first (inf: nowhere, 0: throughout)."""

    shares: Shares
    crossover: float


SECOND_SYSTEMS = {
    "crossing in the middle": SecondSystem(level(0.55), 2**14.5),
    "crossing in the last bin": SecondSystem(level(0.35), 2**16.5),
    "crossing as a step in a bin": SecondSystem(step, 2**14.5),
    "behind throughout": SecondSystem(lambda octaves: falling(octaves) - 0.15, inf),
    "the same throughout": SecondSystem(falling, inf),
    "ahead throughout": SecondSystem(lambda octaves: falling(octaves) + 0.15, 0.0),
}


@dataclass(frozen=True)
class BinSample:
    """The documents of a bin: their numbers of questions, and the right answers of both systems."""

    questions: Floats
    right: Floats
    second_right: Floats


def draw(
    random: np.random.Generator,
    octave: int,
    documents_per_bin: int,
    second_system: SecondSystem,
    question_counts_differ: bool,
) -> BinSample:
    """A bin of documents of one octave; both systems find the same ones hard."""
    octaves = random.uniform(octave, octave + 1, documents_per_bin)
    sizes = (
        random.integers(1, 2 * QUESTIONS, documents_per_bin)
        if question_counts_differ
        else np.full(documents_per_bin, QUESTIONS)
    )
    difficulty = random.random(documents_per_bin)
    first_right, second_right = (
        random.binomial(sizes, _beta_quantile(difficulty, shares(octaves))).astype(float)
        for shares in (falling, second_system.shares)
    )
    return BinSample(sizes.astype(float), first_right, second_right)


def _beta_quantile(difficulty: Floats, mean: Floats) -> Floats:
    from scipy import special

    mean = np.clip(mean, 0.02, 0.98)
    return np.asarray(special.betaincinv(SPREAD * mean, SPREAD * (1 - mean), difficulty))


@dataclass(frozen=True)
class Coverage:
    """Whether the intervals of a draw hold the truth; `is_open`: the crossover's interval is open at both ends."""

    crossover: bool
    is_open: bool
    points: float
    all_points: bool
    kept_bin: bool


@cache
def counts(documents_per_bin: int, number: int) -> Counts:
    """How often each document of a bin is in each resample; the same in all draws, as they depend on a seed alone."""
    return resample_counts(documents_per_bin, RESAMPLES, 1_000 * number)


def coverage(
    random: np.random.Generator, documents_per_bin: int, second_system: SecondSystem, question_counts_differ: bool
) -> Coverage:
    """One draw, computed as the program does."""
    bins = [draw(random, octave, documents_per_bin, second_system, question_counts_differ) for octave in BINS]
    resampled, differences = [], []
    for number, sample in enumerate(bins):
        columns = np.column_stack([sample.right, sample.second_right - sample.right, sample.questions])
        sums = product(counts(documents_per_bin, number), columns)
        resampled.append(100 * sums[:, :2] / sums[:, 2:])
        differences.append(100 * (sample.second_right - sample.right).sum() / sample.questions.sum())
    scores = [100 * sample.right.sum() / sample.questions.sum() for sample in bins]
    truths = [100 * float(falling(np.linspace(octave, octave + 1, 1_001)).mean()) for octave in BINS]
    limits = [
        bounds(score, each[:, 0], (0.0, documents_per_bin), LEVEL)
        for score, each in zip(scores, resampled, strict=True)
    ]
    in_bounds = [low <= truth <= high for (low, high), truth in zip(limits, truths, strict=True)]
    weights = [float(sample.questions.sum()) for sample in bins]
    crossing = crossover(
        differences, weights, MIDDLES, np.stack([each[:, 1] for each in resampled], 1), documents_per_bin
    )
    kept = kept_bin(scores, SHARE, np.stack([each[:, 0] for each in resampled], 1), documents_per_bin)
    true_kept = max(n for n, truth in enumerate(truths) if truth >= SHARE * truths[0])
    assert crossing.low is not None and crossing.high is not None
    is_low, is_high = crossing.low <= crossing.first, crossing.high >= crossing.last  # open ends
    holds = (is_low or crossing.low <= second_system.crossover) and (
        is_high or crossing.high >= second_system.crossover
    )
    is_kept = kept is not None and kept.low is not None and kept.high is not None and kept.low <= true_kept <= kept.high
    return Coverage(holds, is_low and is_high, float(np.mean(in_bounds)), all(in_bounds), is_kept)


def rows(question_counts_differ: bool) -> list[list[str]]:
    """In how many per cent of draws each interval holds the truth (`Coverage`), by second system and size of bins."""
    lines = []
    for number, (name, second_system) in enumerate(SECOND_SYSTEMS.items()):
        for documents_per_bin in DOCUMENTS:
            random = np.random.default_rng((documents_per_bin, number, question_counts_differ))
            draws = [coverage(random, documents_per_bin, second_system, question_counts_differ) for _ in range(DRAWS)]
            shares = [
                100 * float(np.mean([getattr(each, field) for each in draws]))
                for field in ("crossover", "is_open", "points", "all_points", "kept_bin")
            ]
            label = f"{name}{', uneven' * question_counts_differ}"
            lines.append([label, str(documents_per_bin), *(f"{share:.1f}" for share in shares)])
    return lines


def main() -> None:
    lines = [*rows(False), *rows(True)]
    least = {documents: min(float(line[2]) for line in lines if line[1] == str(documents)) for documents in DOCUMENTS}
    text = (
        f"Per cent of {DRAWS:,} draws whose interval of 95% holds the true crossover, is open at both ends (it says "
        "nothing), holds the true score in a bin, in all five bins at once (bands are for each bin alone), and holds "
        f"the true last bin with {100 * SHARE:g}% of the first score. A document has {QUESTIONS} questions, where "
        f"uneven 1 to {2 * QUESTIONS - 1}. Lowest for the crossover: "
        + ", ".join(f"{share:.1f} with {documents} documents a bin" for documents, share in least.items())
        + ".\n\n"
    )
    head = ["second system", "documents a bin", "crossover", "open", "score", "all scores", "kept bin"]
    publish("curves", text + table(head, lines))


if __name__ == "__main__":
    main()
