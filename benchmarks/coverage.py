"""How often a 95% interval holds the true score, by the number of documents: simulated data of ten kinds.

Every kind is drawn many times for each number of documents, and each time the interval is computed as the program does,
2,000 resamples of documents, also for those numbers for which the program gives none. Beside it the plain percentile
interval of the same resamples. In the last five kinds documents are easy or hard as a whole, have many questions, or
numbers of questions that differ. Run: python -m benchmarks.coverage
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from benchmarks.results import publish, table
from pipelines import metrics
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, bounds
from pipelines.statistics.intervals import ENOUGH_LIMIT, MINIMUM
from pipelines.statistics.sample import Floats, Sample, units

DOCUMENTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50)
DRAWS = 2_000
QUESTIONS = 8  # of each document, where there are several
MANY = 30  # of each document, where there are many
MOST = 60  # of a document, where their numbers differ: 1 to so many
METRIC = metrics.get("exact_match")
Documents: TypeAlias = list[Floats]  # the scores of each document's questions, 0 to 100
Draw: TypeAlias = Callable[[np.random.Generator, int], Documents]


def summaries(random: np.random.Generator, documents: int) -> Documents:
    """Scores like ROUGE of summaries, one a document: few near 0, a long tail to the right, mean 200 / 7."""
    return list(100 * random.beta(2, 5, (documents, 1)))


def answers(random: np.random.Generator, documents: int) -> Documents:
    """Scores like token F1 of answers, one a document: 65% are 0, 10% are 100, the others in between."""
    return list(f1(random, np.full((documents, 1), 0.65)))


def books(random: np.random.Generator, documents: int) -> Documents:
    """Token F1 of several answers a document; the share of zeros differs between documents."""
    return list(f1(random, random.beta(5, 3, (documents, 1)) * np.ones((1, QUESTIONS))))


def f1(random: np.random.Generator, zeros: Floats) -> Floats:
    """Token F1 with these chances of 0; two sevenths of the others are 100."""
    kind = random.random(zeros.shape)
    full = zeros + (1 - zeros) * 2 / 7
    return np.where(kind < zeros, 0.0, np.where(kind < full, 100.0, 100 * random.beta(1, 2, zeros.shape)))


def choices(random: np.random.Generator, documents: int) -> Documents:
    """Right or wrong, one question a document, 30% right."""
    return list(100.0 * (random.random((documents, 1)) < 0.3))


def exams(random: np.random.Generator, documents: int) -> Documents:
    """Right or wrong, several questions a document; the share of right ones differs between documents, mean 25%."""
    return list(100.0 * (random.random((documents, QUESTIONS)) < random.beta(1, 3, (documents, 1))))


def ceiling(random: np.random.Generator, documents: int) -> Documents:
    """Right or wrong, many questions a document; most documents are all right or nearly so, mean 95%."""
    return list(100.0 * (random.random((documents, MANY)) < random.beta(9.5, 0.5, (documents, 1))))


def alike(random: np.random.Generator, documents: int) -> Documents:
    """Many questions a document, all right or all wrong together: nine documents in ten are right."""
    return list(np.where(random.random((documents, 1)) < 0.9, 100.0, 0.0) * np.ones((1, MANY)))


def alike_unequal(random: np.random.Generator, documents: int) -> Documents:
    """As `alike`, with numbers of questions that differ."""
    right = np.where(random.random(documents) < 0.9, 100.0, 0.0)
    return [np.full(size, value) for size, value in zip(sizes(random, documents), right.tolist(), strict=True)]


def exams_unequal(random: np.random.Generator, documents: int) -> Documents:
    """As `exams`, with numbers of questions that differ."""
    shares = random.beta(1, 3, documents).tolist()
    return [100.0 * (random.random(size) < share) for size, share in zip(sizes(random, documents), shares, strict=True)]


def rarely_lost(random: np.random.Generator, documents: int) -> Documents:
    """Many questions a document: one document in ten is all wrong, of the others' questions 98% are right."""
    right = np.where(random.random((documents, 1)) < 0.9, 0.98, 0.0)
    return list(100.0 * (random.random((documents, MANY)) < right))


def sizes(random: np.random.Generator, documents: int) -> list[int]:
    """Numbers of questions of so many documents, 1 to 60, all equally likely."""
    return list(map(int, random.integers(1, MOST + 1, documents)))


MEAN_F1 = 100 * (2 / 7 + 5 / 7 / 3)  # of answers that are not 0
KINDS: dict[str, tuple[Draw, float]] = {  # with the true mean
    "summaries": (summaries, 100 * 2 / 7),
    "answers": (answers, 0.35 * MEAN_F1),
    f"answers, {QUESTIONS} a document": (books, 3 / 8 * MEAN_F1),
    "right or wrong": (choices, 30.0),
    f"right or wrong, {QUESTIONS} a document": (exams, 25.0),
    f"right or wrong, 1 to {MOST} a document": (exams_unequal, 25.0),
    f"near the ceiling, {MANY} a document": (ceiling, 95.0),
    f"documents wholly right or wrong, {MANY} questions": (alike, 90.0),
    f"documents wholly right or wrong, 1 to {MOST} questions": (alike_unequal, 90.0),
    f"one document in ten wholly wrong, {MANY} questions": (rarely_lost, 0.9 * 98.0),
}


def coverage(draw: Draw, mean: float, documents: int) -> tuple[float, float]:
    """The shares of intervals that hold the mean, in per cent: as the program computes them, plain percentile."""
    random = np.random.default_rng(documents)
    hits = np.zeros(2)
    for _ in range(DRAWS):
        scores = draw(random, documents)
        rows = [{"exact_match": value} for value in np.concatenate(scores).tolist()]
        names = np.repeat(np.arange(documents), list(map(len, scores))).astype(str).tolist()
        sample = Sample(METRIC, rows, units(len(rows), names))
        resampled = sample.resampled(RESAMPLES, 0)["exact_match"]
        ours = bounds(sample.scores["exact_match"], resampled, (0.0, documents), LEVEL)
        plain = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        hits += [low <= mean <= high for low, high in (ours, plain)]
    our_share, plain_share = (100 * hits / DRAWS).tolist()
    return our_share, plain_share


def least_of(shares: dict[int, list[float]], documents: int) -> str:
    """The least share of any kind from so many documents on, with its kind and number of documents."""
    share, count, kind = min((share, count, kind) for count, row in shares.items() if count >= documents
                             for kind, share in zip(KINDS, row, strict=True))  # fmt: skip
    return f"{share:.1f} ({kind}, {count} documents)"


def main() -> None:
    rows: list[list[str]] = []
    shares_by_documents: dict[int, list[float]] = {}
    for documents in DOCUMENTS:
        coverages = [coverage(*kind, documents) for kind in KINDS.values()]
        shares_by_documents[documents] = shares = [ours for ours, _ in coverages]
        least, plain = np.min(coverages, axis=0).tolist()
        status = "none" if documents < MINIMUM else "marked" if documents < ENOUGH_LIMIT else "given"
        rows.append([str(documents), *(f"{share:.1f}" for share in shares), f"{least:.1f}", f"{plain:.1f}", status])
    text = (
        f"Per cent of {DRAWS:,} simulated intervals of 95% that hold the true mean, by documents and kind of data "
        "(drawn by the functions of the script). Plain percentile: the interval without the widening for "
        f"few units. The program gives no interval below {MINIMUM} units and marks those below {ENOUGH_LIMIT}. "
        f"Least of all that it gives: {least_of(shares_by_documents, MINIMUM)}; of those without a mark: "
        f"{least_of(shares_by_documents, ENOUGH_LIMIT)}.\n\n"
    )
    head = ["documents", *KINDS, "lowest", "lowest, plain percentile", "interval"]
    publish("coverage", text + table(head, rows))


if __name__ == "__main__":
    main()
