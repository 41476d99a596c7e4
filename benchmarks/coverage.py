"""How often a 95% interval holds the true score, by the number of documents: simulated data of five kinds.

Every kind is drawn many times for each number of documents, and each time the interval is computed as the program does,
2,000 resamples of documents, also for those numbers for which the program gives none. Beside it the plain percentile
interval of the same resamples. Run: python -m benchmarks.coverage
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from benchmarks.results import publish, table
from pipelines import metrics
from pipelines.results.comparisons._sample import Floats, Sample, units
from pipelines.results.comparisons.bootstrap import LEVEL, RESAMPLES, bounds
from pipelines.results.intervals import ENOUGH, LEAST

DOCUMENTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50)
DRAWS = 2_000
QUESTIONS = 8  # of each document, where there are several
METRIC = metrics.get("exact_match")
Draw: TypeAlias = Callable[[np.random.Generator, int], Floats]


def summaries(random: np.random.Generator, documents: int) -> Floats:
    """ROUGE as of summaries, one a document: few near 0, a long tail to the right, mean 200 / 7."""
    return 100 * random.beta(2, 5, (documents, 1))


def answers(random: np.random.Generator, documents: int) -> Floats:
    """Token F1 as of answers, one a document: 65% are 0, 10% are 100, the others in between."""
    return f1(random, np.full((documents, 1), 0.65))


def books(random: np.random.Generator, documents: int) -> Floats:
    """Token F1 of several answers a document; the share of zeros differs between documents."""
    return f1(random, random.beta(5, 3, (documents, 1)) * np.ones((1, QUESTIONS)))


def f1(random: np.random.Generator, zeros: Floats) -> Floats:
    """Token F1 with these chances of 0; two sevenths of the others are 100."""
    kind = random.random(zeros.shape)
    full = zeros + (1 - zeros) * 2 / 7
    return np.where(kind < zeros, 0.0, np.where(kind < full, 100.0, 100 * random.beta(1, 2, zeros.shape)))


def choices(random: np.random.Generator, documents: int) -> Floats:
    """Right or wrong, one question a document, 30% right."""
    return 100.0 * (random.random((documents, 1)) < 0.3)


def exams(random: np.random.Generator, documents: int) -> Floats:
    """Right or wrong, several questions a document; the share of right ones differs between documents, mean 25%."""
    return 100.0 * (random.random((documents, QUESTIONS)) < random.beta(1, 3, (documents, 1)))


MEAN_F1 = 100 * (2 / 7 + 5 / 7 / 3)  # of answers that are not 0
KINDS: dict[str, tuple[Draw, float]] = {  # with the true mean
    "summaries": (summaries, 100 * 2 / 7),
    "answers": (answers, 0.35 * MEAN_F1),
    f"answers, {QUESTIONS} a document": (books, 3 / 8 * MEAN_F1),
    "right or wrong": (choices, 30.0),
    f"right or wrong, {QUESTIONS} a document": (exams, 25.0),
}


def coverage(draw: Draw, mean: float, documents: int) -> tuple[float, float]:
    """The shares of intervals that hold the mean, in per cent: as the program computes them, plain percentile."""
    random = np.random.default_rng(documents)
    held = np.zeros(2)
    for _ in range(DRAWS):
        values = draw(random, documents)
        rows = [{"exact_match": value} for value in values.ravel().tolist()]
        names = np.repeat(np.arange(documents), values.shape[1]).astype(str).tolist()
        sample = Sample(METRIC, rows, units(len(rows), names))
        resampled = sample.resampled(RESAMPLES, 0)["exact_match"]
        ours = bounds(sample.scores["exact_match"], resampled, (0.0, len(rows), documents), LEVEL)
        plain = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        held += [low <= mean <= high for low, high in (ours, plain)]
    ours_held, plain_held = (100 * held / DRAWS).tolist()
    return ours_held, plain_held


def main() -> None:
    rows = []
    for documents in DOCUMENTS:
        found = [coverage(*kind, documents) for kind in KINDS.values()]
        shares = [ours for ours, _ in found]
        least, plain = np.min(found, axis=0).tolist()
        given = "none" if documents < LEAST else "marked" if documents < ENOUGH else "given"
        rows.append([str(documents), *(f"{share:.1f}" for share in shares), f"{least:.1f}", f"{plain:.1f}", given])
    text = (
        f"Per cent of {DRAWS:,} simulated intervals of 95% that hold the true mean, by documents and kind of data "
        "(drawn by the functions of the script). Plain percentile: the interval without the widening for "
        f"few units. The program gives no interval below {LEAST} units and marks those below {ENOUGH}.\n\n"
    )
    head = ["documents", *KINDS, "lowest", "lowest, plain percentile", "interval"]
    publish("coverage", text + table(head, rows))


if __name__ == "__main__":
    main()
