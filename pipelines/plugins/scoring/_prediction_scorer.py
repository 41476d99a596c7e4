"""The metrics of predictions that others made, over the examples with a prediction and over all examples."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pipelines.engine.running.scoring import Scorer
from pipelines.metrics import SELECTION_TARGETS, SHOWN_ANSWER
from pipelines.plugins.scoring.predictions import GivenPrediction
from pipelines.records import Prediction

PARTS = ("scores", "intervals", "no_interval", "signatures", "not_computed")


@dataclass(frozen=True, slots=True)
class PredictionScorer:
    """The metrics over examples with a prediction, and those that count refused examples too."""

    answered_scorer: Scorer
    refusal_scorer: Scorer

    @classmethod
    def of(cls, metrics: Mapping[str, Any]) -> "PredictionScorer":
        """The scorer with those of the metrics that measure outputs, not selections."""
        excluded_targets = (*SELECTION_TARGETS, SHOWN_ANSWER)
        usable = {name: value for name, value in metrics.items() if value.target not in excluded_targets}
        return cls(
            Scorer({name: value for name, value in usable.items() if not value.counts_refused}),
            Scorer({name: value for name, value in usable.items() if value.counts_refused}),
        )

    def scored(self, given_prediction: GivenPrediction) -> Prediction:
        """The prediction with the rows of all metrics; a refused one counts as an empty output."""
        example = given_prediction.example
        prediction = Prediction(
            id=example.id, document=example.document.id, query=example.query, references=example.references,
            prediction=given_prediction.prediction or "", selected=(), shown_spans=(), requests=0, tokens_in=0,
            tokens_out=0, truncated_tokens=0,
        )  # fmt: skip
        outputs = {"prediction": prediction.prediction}
        rows: Mapping[str, Any] = self.answered_scorer.rows(example, outputs) | self.refusal_scorer.rows(
            example, outputs
        )
        return replace(prediction, statistics=rows)

    def scores(self, predictions: list[Prediction], unanswered: list[Prediction]) -> dict[str, Any]:
        """The content of `scores.json`, each metric over the examples that it counts."""
        answered = self.answered_scorer.scores(predictions)
        counted = self.refusal_scorer.scores([*predictions, *unanswered])
        return {part: answered[part] | counted[part] for part in PARTS}

    def all_scores(self, predictions: list[Prediction], unanswered: list[Prediction]) -> dict[str, float]:
        """The scores over all examples; empty where none was refused."""
        if not unanswered:
            return {}
        all_predictions = [*predictions, *unanswered]
        return _aggregated(self.answered_scorer, all_predictions) | _aggregated(self.refusal_scorer, all_predictions)

    def plain_scores(self, predictions: list[Prediction], unanswered: list[Prediction]) -> dict[str, float]:
        """The scores without intervals."""
        return _aggregated(self.answered_scorer, predictions) | _aggregated(
            self.refusal_scorer, [*predictions, *unanswered]
        )


def _aggregated(scorer: Scorer, predictions: list[Prediction]) -> dict[str, float]:
    """The scores of predictions by the scorer's metrics."""
    scores: dict[str, float] = {}
    for name, metric in scorer.ready.items():
        rows = [prediction.statistics[name] for prediction in predictions if name in prediction.statistics]
        scores |= metric.aggregate(rows) if rows else {}
    return scores


def by_document(
    scorer: PredictionScorer, predictions: list[Prediction], unanswered: list[Prediction], titles: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """The scores of each document by its title; empty for a single document, or where a title is missing."""
    if len(titles) < 2 or not all(titles.values()):
        return {}
    return {
        title: scorer.plain_scores(
            [prediction for prediction in predictions if prediction.document == name],
            [prediction for prediction in unanswered if prediction.document == name],
        )
        for name, title in titles.items()
    }
