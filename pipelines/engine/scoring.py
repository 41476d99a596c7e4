"""From predictions to `scores.json`: scores with their signatures, and why others were not computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.metrics import NotComputable, Row
from pipelines.records import Document, Example, Prediction
from pipelines.results import output_counts, over_limit, selection_counts

NO_REFERENCES = "not scored: no references"
SELECTION_TARGETS = ("selection", "spans")


@dataclass(slots=True)
class Scorer:
    """The metrics of a run: those that can be computed here, and why the others cannot.

    `remark` is appended to the signatures of scores of predictions.
    """

    metrics: Mapping[str, Any]
    remark: str = ""
    ready: dict[str, Any] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, metric in self.metrics.items():
            try:
                metric.prepare()
                self.ready[name] = metric
            except NotComputable as error:
                self.lacking[name] = str(error)

    def rows(self, example: Example, outputs: Mapping[str, str]) -> dict[str, dict[str, float]]:
        """One row of statistics per metric, computed while the document is in memory; none without references."""
        if not example.references:
            return {}
        return {
            name: dict(metric.statistics(outputs[metric.target], example))
            for name, metric in self.ready.items()
            if metric.target in outputs
        }

    def scores(self, predictions: Sequence[Prediction]) -> dict[str, Any]:
        """The content of `scores.json`."""
        scored = [p for p in predictions if p.references]
        scores: dict[str, float] = {}
        signatures: dict[str, str] = {}
        missing = dict(self.lacking)
        for name, metric in self.ready.items():
            rows = [row for p in scored if (row := self._row(name, metric, p)) is not None]
            if not scored:
                missing[name] = NO_REFERENCES
            elif len(rows) < len(scored):
                missing[name] = f"{len(scored) - len(rows)} of {len(scored)} examples were finished without it"
            else:
                aggregated = metric.aggregate(rows)
                if not aggregated:
                    missing[name] = "these references do not say what it needs"
                scores |= aggregated
                remark = "" if metric.target in SELECTION_TARGETS else self.remark
                signatures |= dict.fromkeys(aggregated, metric.signature + remark)
        return {
            "scores": scores,
            "signatures": signatures,
            "not_computed": missing,
            "examples": len(predictions),
            "scored": len(scored),
            "not_scored": NO_REFERENCES if len(scored) < len(predictions) else "",
            "truncated": {
                "examples": sum(p.truncated_tokens > 0 for p in predictions),
                "tokens": sum(p.truncated_tokens for p in predictions),
            },
            "selection": selection_counts.count(predictions),
            "outputs": output_counts.count(predictions),
            "passages": over_limit.total(predictions),
        }

    def _row(self, name: str, metric: Any, prediction: Prediction) -> Row | None:
        """The stored row; a missing one is computed now if the metric needs no document."""
        if name in prediction.statistics:
            return prediction.statistics[name]
        if metric.target != "prediction":
            return None
        example = Example(prediction.id, Document("", ""), prediction.query, prediction.references)
        row: Row = metric.statistics(prediction.prediction, example)
        return row
