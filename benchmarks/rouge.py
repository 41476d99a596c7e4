"""How long does it take to score summaries of 500 words by ROUGE?

Forty generated pairs of summaries: words sampled by Zipf's law, and a prediction that shares half of its reference's
sentences in another order. Ours and rouge-score (without stemming) read the same strings and return the F of ROUGE-1,
ROUGE-2 and ROUGE-L; they take turns, and times are the minimum of several runs. Run: python -m benchmarks.rouge
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.ranking import vocabulary
from benchmarks.results import publish, table
from pipelines import metrics
from pipelines.metrics.rouge import KINDS_NAMES

PAIRS, SENTENCES, WORDS = 40, 25, 20
REPEATS = 5
LEAST_GAIN = 20.0

Pair = tuple[str, str]
Condition = Callable[[list[Pair]], list[tuple[float, ...]]]


def pairs(rng: np.random.Generator) -> list[Pair]:
    """Predictions and their references, 500 words each."""
    words = vocabulary(3000, rng)
    weights = 1.0 / np.arange(3.0, len(words) + 3.0)
    weights /= weights.sum()

    def sentences(count: int) -> list[str]:
        return [" ".join(words[i] for i in rng.choice(len(words), WORDS, p=weights)) + "." for _ in range(count)]

    summaries = []
    for _ in range(PAIRS):
        reference = sentences(SENTENCES)
        shared = [reference[i] for i in rng.choice(SENTENCES, SENTENCES // 2, replace=False)]
        prediction = shared + sentences(SENTENCES - len(shared))
        summaries.append((" ".join(prediction[i] for i in rng.permutation(SENTENCES)), " ".join(reference)))
    return summaries


def ours(summaries: list[Pair]) -> list[tuple[float, ...]]:
    metric = metrics.get("rouge")
    examples = metrics.examples([pair[0] for pair in summaries], [[pair[1]] for pair in summaries])
    rows = [
        metric.statistics(prediction, example) for (prediction, _), example in zip(summaries, examples, strict=True)
    ]
    return [tuple(row[kind] for kind in KINDS_NAMES) for row in rows]


def published() -> Condition:
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    scorer = RougeScorer(list(KINDS_NAMES), use_stemmer=False)

    def way(summaries: list[Pair]) -> list[tuple[float, ...]]:
        scores = [scorer.score(reference, prediction) for prediction, reference in summaries]
        return [tuple(100 * score[kind].fmeasure for kind in KINDS_NAMES) for score in scores]

    return way


def main() -> None:
    summaries = pairs(np.random.default_rng(0))
    ways: dict[str, Condition] = {"ours": ours, "rouge-score": published()}
    times, scores = dict.fromkeys(ways, float("inf")), {}
    for _ in range(REPEATS):
        for name, way in ways.items():
            start = time.perf_counter()
            scores[name] = np.array(way(summaries))
            times[name] = min(times[name], time.perf_counter() - start)
    difference = np.abs(scores["ours"] - scores["rouge-score"]).max()
    assert difference <= 1e-9, f"the scores differ by {difference}"
    means = ", ".join(f"{kind} {mean:.2f}" for kind, mean in zip(KINDS_NAMES, scores["ours"].mean(axis=0), strict=True))
    gain = times["rouge-score"] / times["ours"]
    text = f"{PAIRS} pairs of summaries of {SENTENCES * WORDS} words; {means}. "
    text += f"The largest difference between the two is {difference:.0e} points of 100.\n\n"
    rows = [
        [name, f"{1000 * taken / PAIRS:.3f}", f"{PAIRS / taken:,.0f}", f"{times['rouge-score'] / taken:.1f}"]
        for name, taken in times.items()
    ]
    publish("rouge", text + table(["way", "milliseconds a pair", "pairs a second", "times as fast"], rows))
    if gain < LEAST_GAIN:
        sys.exit(f"rouge must be {LEAST_GAIN:.0f} times as fast as rouge-score")


if __name__ == "__main__":
    main()
