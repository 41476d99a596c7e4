"""A few examples of a run in short, to see at once what the reader writes: question, output, references, score.

They are the best, a middle and the worst example by the first of the run's scores that single examples have. If no
example has a score, they are taken at equal distances in the data.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pipelines import metrics
from pipelines.records import Prediction, references_text
from pipelines.results.example_scores import leading_score

MAX_EXCERPTS = 3
LONGEST = 300  # characters of a text that are kept
RIGHT_MARK, BETWEEN_MARK, WRONG_MARK = "✓", "~", "✗"
LEGEND = f"{RIGHT_MARK} 100, {BETWEEN_MARK} between, {WRONG_MARK} 0"
TOLERANCE = 1e-9  # points: rounding


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One example of a run, each text on one line and cut to 300 characters; `query` is empty where nothing is asked.

    `prediction` is None where no model was asked. `score` is the example's by the run's `primary_metric`, 0–100; None
    where that does not count it, as without references.
    """

    id: str
    query: str
    prediction: str | None
    references: tuple[str, ...]
    score: float | None

    @property
    def mark(self) -> str:
        """A sign for right or wrong, or the score in between; empty without a score."""
        if self.score is None:
            return ""
        if TOLERANCE < self.score < 100 - TOLERANCE:
            return f"{BETWEEN_MARK} {min(max(round(self.score), 1), 99)}"
        return WRONG_MARK if self.score <= TOLERANCE else RIGHT_MARK

    def texts(self) -> list[tuple[str, str]]:
        """Question, prediction and references with their names, as far as there are any."""
        rows = [("question", self.query)] if self.query else []
        if self.prediction is not None:
            rows.append(("prediction", self.prediction or "(empty)"))
        return rows + ([("reference", " | ".join(self.references))] if self.references else [])


def excerpts(
    run_metrics: Mapping[str, metrics.Metric],
    predictions: Sequence[Prediction],
    scores: Mapping[str, float],
    with_texts: Callable[[Prediction], Prediction] = lambda prediction: prediction,
) -> tuple[str, tuple[Excerpt, ...]]:
    """The name of the score that orders the examples ("" if none does), and the excerpts, the best first.

    `with_texts` gives the prediction with its texts, where `predictions` are without them.
    """
    name, values = leading_score(run_metrics, predictions, scores)
    return name, tuple(_excerpt(with_texts(predictions[row]), values[row]) for row in _rows(values))


def _rows(scores: Sequence[float | None]) -> list[int]:
    """The rows of the best example, of the one nearest to half-way, and of the worst."""
    count = len(scores)
    if count <= MAX_EXCERPTS:
        return list(range(count))
    scored = sorted(((score, row) for row, score in enumerate(scores) if score is not None), key=lambda pair: -pair[0])
    if not scored:
        return [(2 * number + 1) * count // (2 * MAX_EXCERPTS) for number in range(MAX_EXCERPTS)]
    best, worst = scored[0], scored[-1]
    half_way = (best[0] + worst[0]) / 2
    middle = sorted(scored[1:-1], key=lambda pair: abs(pair[0] - half_way))[:1]
    return [row for _, row in dict.fromkeys([best, *middle, worst])]


def _excerpt(prediction: Prediction, score: float | None) -> Excerpt:
    output = _cut(prediction.prediction) if prediction.requests or prediction.prediction else None
    return Excerpt(
        prediction.id, _cut(prediction.query), output, tuple(map(_cut, references_text(prediction.references))), score
    )


def _cut(text: str) -> str:
    """The beginning of a text, on one line of at most `LONGEST` characters."""
    beginning = text[: 2 * LONGEST]
    line = " ".join(beginning.split())
    is_whole = len(line) <= LONGEST and len(beginning) == len(text)
    return line if is_whole else line[: LONGEST - 1].rstrip() + "…"
