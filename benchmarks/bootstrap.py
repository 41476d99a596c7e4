"""The time for an interval and a paired difference, compared with scipy's bootstrap: 10,000 examples, 2,000 resamples.

scipy resamples examples for one statistic at a time; ours resamples examples or whole documents, and all scores of a
metric use the same resamples. F1 is a mean; BLEU is a corpus score, which scipy gets as a function of four sums.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.results import publish, table
from pipelines import metrics
from pipelines.records import Document, Example
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.paired import paired
from pipelines.statistics.sample import resample_counts

EXAMPLES, RESAMPLES = 10_000, 2_000
WORDS = np.array([f"word{i}" for i in range(400)])


def rows(name: str, seed: int) -> list[Any]:
    """A metric's rows of made-up outputs, the same references for every seed."""
    metric = metrics.get(name)
    reference_rng, output_rng = np.random.default_rng(0), np.random.default_rng(seed)
    statistics = []
    for _ in range(EXAMPLES):
        gold = WORDS[reference_rng.integers(0, 400, 12)]
        output = np.where(output_rng.random(12) < 0.6, gold, WORDS[output_rng.integers(0, 400, 12)])
        statistics.append(metric.statistics(" ".join(output), Example("", Document("", ""), "", (" ".join(gold),))))
    return statistics


def seconds(work: Callable[[], Any], resampled: bool) -> float:
    """The best of three, with or without the resamples of an earlier call in the cache."""
    times = []
    for _ in range(3):
        if not resampled:
            resample_counts.cache_clear()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def scipy_interval(values: Any, statistic: Callable[..., Any]) -> Any:
    """scipy's percentile interval; in batches, so that it does not hold all resamples in memory at once."""
    from scipy import stats

    return stats.bootstrap(
        tuple(values), statistic, n_resamples=RESAMPLES, method="percentile", paired=True, vectorized=True,
        batch=50, rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip


def bleu_from_sums(*columns: Any, axis: int = -1) -> Any:
    """BLEU-1 of summed columns: matches, total, hypothesis, reference."""
    matches, total, hypothesis, reference = (column.sum(axis=axis) for column in columns)
    return 100 * np.where(hypothesis < reference, np.exp(1 - reference / hypothesis), 1.0) * matches / total


def main() -> None:
    documents = [f"d{i // 25}" for i in range(EXAMPLES)]
    f1, other, bleu = rows("f1", 1), rows("f1", 2), rows("bleu-1", 1)
    values = [np.array([row["f1"] for row in f1])]
    sums = [np.array([row[name] for row in bleu]) for name in ("matches-1", "total-1", "hypothesis", "reference")]
    ours, theirs = intervals(metrics.get("f1"), f1)["f1"], scipy_interval(values, np.mean)
    assert abs(ours.low - theirs.low) < 0.1
    assert abs(ours.high - theirs.high) < 0.1
    calls = {
        "F1, examples resampled": lambda: intervals(metrics.get("f1"), f1),
        "F1 of another run, same resamples": lambda: intervals(metrics.get("f1"), other),
        "F1, scipy.stats.bootstrap": lambda: scipy_interval(values, np.mean),
        "F1, 400 documents resampled": lambda: intervals(metrics.get("f1"), f1, documents),
        "F1, difference of two runs with p, documents": lambda: paired(metrics.get("f1"), f1, other, documents),
        "BLEU-1, examples resampled": lambda: intervals(metrics.get("bleu-1"), bleu),
        "BLEU-1, scipy.stats.bootstrap": lambda: scipy_interval(sums, bleu_from_sums),
    }
    times = {name: seconds(work, "same resamples" in name) for name, work in calls.items()}
    first = next(iter(times.values()))
    lines = [[name, f"{spent:.3f}", f"{spent / first:.1f}"] for name, spent in times.items()]
    text = f"{EXAMPLES:,} examples, {RESAMPLES:,} resamples. Both intervals of F1 agree to 0.1.\n\n"
    publish("bootstrap", text + table(["what", "seconds", "times the first"], lines) + "\n")


if __name__ == "__main__":
    main()
