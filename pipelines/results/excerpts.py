"""A few examples of a run in short, to see at once what the reader writes: question, output, references, score.

They stand at equal distances in the data, whatever their scores: the first ones would be of one document, and chosen
ones would flatter or shame. An example is right at 100 and wrong at 0 by the first of the run's scores that single
examples have.
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
        """Whether it is right or wrong, with its score where it is between; empty where it has none."""
        if self.score is None:
            return ""
        if TOLERANCE < self.score < 100 - TOLERANCE:
            return f"{BETWEEN_MARK} {min(max(round(self.score), 1), 99)}"
        return WRONG_MARK if self.score <= TOLERANCE else RIGHT_MARK

    def texts(self) -> list[tuple[str, str]]:
        """What there is of question, prediction and references, each with its name."""
        rows = [("question", self.query)] if self.query else []
        if self.prediction is not None:
            rows.append(("prediction", self.prediction or "(empty)"))
        return rows + ([("reference", " | ".join(self.references))] if self.references else [])


def excerpts(
    known_metrics: Mapping[str, metrics.Metric],
    predictions: Sequence[Prediction],
    scores: Mapping[str, float],
    with_texts: Callable[[Prediction], Prediction] = lambda prediction: prediction,
) -> tuple[str, tuple[Excerpt, ...]]:
    """The name of the score that decides, empty where there is none, and examples from the whole of the data.

    `with_texts` gives the prediction with its texts, where `predictions` are without them.
    """
    name, values = leading_score(known_metrics, predictions, scores)
    count, excerpt_count = len(predictions), min(MAX_EXCERPTS, len(predictions))
    rows = [(2 * number + 1) * count // (2 * excerpt_count) for number in range(excerpt_count)]
    return name, tuple(_excerpt(with_texts(predictions[row]), values[row]) for row in rows)


def _excerpt(prediction: Prediction, score: float | None) -> Excerpt:
    output = _cut(prediction.prediction) if prediction.requests or prediction.prediction else None
    return Excerpt(
        prediction.id, _cut(prediction.query), output, tuple(map(_cut, references_text(prediction.references))), score
    )


def _cut(text: str) -> str:
    """The beginning of a text on one line."""
    beginning = text[: 2 * LONGEST]
    line = " ".join(beginning.split())
    is_whole = len(line) <= LONGEST and len(beginning) == len(text)
    return line if is_whole else line[: LONGEST - 1].rstrip() + "…"
