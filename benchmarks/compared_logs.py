"""Whether comparisons of logs keep their level: simulated pairs of systems that are equally good.

For each kind of data two logs are drawn many times, paired by id and compared as `longdoc compare` does: how often p is
below 0.05 although the systems are alike, and how often the 95% interval of the difference holds zero. Beside it the
same without clusters, as if questions were independent. Run: python -m benchmarks.compared_logs
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.power import Sizes, answers, equal, normal, uneven
from benchmarks.results import publish, table
from pipelines.plugins.study.logs.paired_logs import PairedLogs
from pipelines.plugins.study.logs.score_log import ScoreLog
from pipelines.statistics.paired import sample_differences
from pipelines.statistics.sample import Floats

DRAWS, RESAMPLES, LEVEL = 1_000, 1_000, 0.95
DOCUMENTS = (10, 20, 30, 60)
KINDS: dict[str, tuple[Callable[[np.random.Generator, int], Sizes], Callable[..., Floats]]] = {
    "normal, 1 question": (equal(1), normal(40, 0.0)),
    "normal, 8 questions": (equal(8), normal(40, 0.2)),
    "normal, 3 to 38 questions": (uneven, normal(40, 0.2)),
    "right or wrong, 8 questions": (equal(8), answers),
    "right or wrong, 3 to 38 questions": (uneven, answers),
}


def log(scores: Floats, sizes: Sizes, clustered: bool) -> ScoreLog:
    """A log with a sample for each score, document by document."""
    rows = ScoreLog(Path("log"), "simulated")
    for number, (score, document) in enumerate(zip(scores, np.repeat(np.arange(len(sizes)), sizes), strict=True)):
        rows.add(str(number), {"score": float(score)}, fields={"document": f"d{document}"} if clustered else {})
    return rows


def outcome(differences: Floats, sizes: Sizes, clustered: bool) -> tuple[bool, bool]:
    """Whether a comparison of two equal systems has p below 0.05, and whether its interval holds zero."""
    base = np.full(len(differences), 200.0)  # no share: points stay as they are
    logs = PairedLogs(log(base, sizes, clustered), log(base + differences, sizes, clustered))
    difference = sample_differences(*logs.samples("score"), LEVEL, RESAMPLES, 0)["score"]
    assert difference.interval is not None  # there are ten documents or more
    return difference.p < 1 - LEVEL, difference.interval.low <= 0 <= difference.interval.high


def row(name: str, documents: int) -> list[str]:
    """One kind of data with so many documents: false positives and coverage, with and without clusters."""
    sizes_of, draw = KINDS[name]
    random = np.random.default_rng((documents, list(KINDS).index(name)))
    outcomes = []
    for _ in range(DRAWS):
        sizes = sizes_of(random, documents)
        differences = draw(random, sizes, 0.0)
        outcomes.append([*outcome(differences, sizes, True), *outcome(differences, sizes, False)])
    shares = 100 * np.mean(outcomes, axis=0)
    return [name, str(documents), *(f"{share:.1f}" for share in shares)]


def main() -> None:
    """Print and publish the table."""
    rows = [row(name, documents) for name in KINDS for documents in DOCUMENTS]
    head = ["differences of questions", "documents", "p < 0.05", "interval holds 0", "p < 0.05", "interval holds 0"]
    most = max(float(line[2]) for line in rows)
    least = min(float(line[3]) for line in rows if int(line[1]) >= 20)
    text = (
        f"Two systems that are equally good, {DRAWS:,} pairs of logs a row, in per cent: first by document, as longdoc "
        "compare tests; then as if the questions were independent. By document p is below 0.05 in at most "
        f"{most:.1f}%, and from 20 documents on the interval holds zero in at least {least:.1f}%.\n\n"
    )
    publish("compared_logs", text + table(head, rows))


if __name__ == "__main__":
    main()
