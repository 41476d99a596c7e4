"""The scores of predictions for `scores.json`: with their signatures, and the reasons for those not computed."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longdoc.messages import counted
from longdoc.plain_json import plain_value
from pipelines.metrics import SELECTION_TARGETS, SHOWN_ANSWER, NotComputable
from pipelines.records import ORDERS, Example, Prediction, is_unanswerable
from pipelines.results import output_counts, over_limit, reference_counts, selection_counts
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED, lacking_intervals, sample_intervals
from pipelines.statistics.intervals import Interval
from pipelines.statistics.sample import Sample, units

NO_REFERENCES = "not scored: no references"
NO_EXAMPLES = "not scored: no examples"
ALL_UNANSWERABLE = "not scored: no question has an answer"
NO_ANSWER_RULE = "|unanswerable:right is to say so"  # in signatures, where the data have questions without an answer


@dataclass(slots=True)
class Scorer:
    """The metrics of a run: those that can be computed here (`ready`), and the reasons for the others (`lacking`).

    `remark` is appended to the signatures of scores of predictions. Metrics in `optional` get no reason where they have
    no score because the data have no evidence, or no unanswerable question: nobody asked for them.
    """

    metrics: Mapping[str, Any]
    remark: str = ""
    optional: Collection[str] = ()
    ready: dict[str, Any] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, metric in self.metrics.items():
            try:
                metric.prepare()
                self.ready[name] = metric
            except NotComputable as error:
                self.lacking[name] = str(error)

    @property
    def signatures(self) -> dict[str, str]:
        """The signatures of the metrics that can be computed here, by metric."""
        return {name: metric.signature for name, metric in self.ready.items()}

    def rows(
        self, example: Example, outputs: Mapping[str, str], leave_out: Collection[str] = ()
    ) -> dict[str, dict[str, float]]:
        """One row of statistics per metric, except those to `leave_out`, computed while the document is in memory.

        Without references there are only the rows of metrics that need none.
        """
        return {
            name: dict(metric.statistics(outputs[metric.target], example))
            for name, metric in self.ready.items()
            if metric.target in outputs
            and name not in leave_out
            and self.applies_to(name, example)
            and metric.has_row(example.id)
        }

    def applies_to(self, name: str, example: Example | Prediction) -> bool:
        """Whether a metric has a row for an example with these references."""
        return bool(self.ready[name].takes(example.references))

    def prediction_rows(
        self, example: Example, prediction: Prediction, leave_out: Collection[str] = ()
    ) -> dict[str, dict[str, float]]:
        """One row of statistics per metric, except those to `leave_out`, of the prediction, its notes and selection."""
        if self.ready.keys() <= set(leave_out):
            return {}
        selected = {(start, end) for start, end, _ in prediction.selected}
        # selection metrics score the truncated spans that the reader saw, in document order; where requests have no
        # spans (pairs of paragraphs), the selected ones
        spans = sorted(set(prediction.shown_spans) or selected)
        selection = {"selection": "\n".join(example.document.text[start:end] for start, end in spans)}
        outputs = selection | {"spans": json.dumps(spans)} | dict(prediction.notes)
        answer = {"prediction": prediction.prediction, "spans": spans}
        outputs |= {SHOWN_ANSWER: json.dumps(answer), "prediction": prediction.prediction}
        return self.rows(example, outputs, leave_out)

    def scores(self, predictions: Sequence[Prediction], selection: Mapping[str, float] | None = None) -> dict[str, Any]:
        """The content of `scores.json`. `selection` has the counts of the selection, for predictions without spans."""
        with_references = [p for p in predictions if p.references]
        unanswerable = any(is_unanswerable(p.references) for p in with_references)
        scores: dict[str, float] = {}
        intervals: dict[str, Any] = {}
        no_interval: dict[str, str] = {}
        signatures: dict[str, str] = {}
        missing = dict(self.lacking)
        for name, metric in self.ready.items():
            expected = [p for p in predictions if self.applies_to(name, p)]
            with_rows = [p for p in expected if name in p.statistics]
            rows = [p.statistics[name] for p in with_rows]
            if not expected:
                missing[name] = ALL_UNANSWERABLE if with_references else NO_REFERENCES if predictions else NO_EXAMPLES
            elif len(rows) < len(expected):
                missing[name] = (
                    f"{len(expected) - len(rows)} of {counted(len(expected), 'example')} were finished without it"
                )
            else:
                sample = Sample(metric, rows, units(len(rows), [p.document for p in with_rows]))
                aggregated = sample.scores
                new_intervals, reasons = _intervals(sample)
                intervals |= plain_value(new_intervals)
                no_interval |= reasons
                if not aggregated and name not in self.optional:
                    missing[name] = metric.lacking
                scores |= aggregated
                remark = "" if metric.target in SELECTION_TARGETS else self.remark
                rule = NO_ANSWER_RULE if unanswerable and metric.scores_unanswerable else ""
                signatures |= dict.fromkeys(aggregated, metric.signature + rule + remark)
        return {
            "scores": scores,
            "intervals": intervals,
            "no_interval": no_interval,
            "signatures": signatures,
            "not_computed": missing,
            "examples": len(predictions),
            "scored": len(with_references),
            "not_scored": reference_counts.missing(len(predictions), len(with_references)),
            "unanswerable": reference_counts.unanswerable(predictions),
            **({ORDERS: line} if (line := reference_counts.rotated(predictions)) else {}),
            "truncated": {
                "examples": sum(p.truncated_tokens > 0 for p in predictions),
                "tokens": sum(p.truncated_tokens for p in predictions),
            },
            "selection": selection_counts.count(predictions) if selection is None else dict(selection),
            "outputs": output_counts.count(predictions),
            "passages": over_limit.total(predictions),
        }


def _intervals(sample: Sample) -> tuple[dict[str, Interval], dict[str, str]]:
    """The intervals of a metric's scores, and the reasons for scores without one.

    A metric of the user's may fail on resampled rows; the run keeps its scores then.
    """
    try:
        return sample_intervals(sample, LEVEL, RESAMPLES, SEED), lacking_intervals(sample)
    except Exception as error:
        reason = f"the bootstrap failed: {type(error).__name__}: {error}"
        return {}, dict.fromkeys(sample.scores, reason)
