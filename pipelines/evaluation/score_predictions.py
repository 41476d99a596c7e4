"""Score a benchmark's own files of predictions, as a run of ours is scored."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longdoc.plurals import counted
from pipelines import tasks
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.engine.planning.metric_names import run_metrics
from pipelines.engine.scoring import Scorer
from pipelines.evaluation import predictions as files
from pipelines.evaluation.predictions import GivenPrediction
from pipelines.metrics import SELECTION_TARGETS
from pipelines.records import Prediction
from pipelines.results.display import numbers
from pipelines.results.intervals import Interval, interval_of


@dataclass(frozen=True, slots=True)
class PredictionScores:
    """The scores of a system's predictions, by the names that a run's scores have.

    `predictions` are those that were scored, with their statistics; `refused` counts, by reason, the examples for which
    the system gave none, and `expected` is how many the benchmark has (None: not known).
    """

    task: str
    system: str
    scores: Mapping[str, float]
    intervals: Mapping[str, Interval]
    signatures: Mapping[str, str]
    not_computed: Mapping[str, str]
    predictions: tuple[Prediction, ...]
    refused: Mapping[str, int]
    expected: int | None
    warnings: tuple[str, ...]

    def counts(self) -> str:
        """How many predictions there are, of how many examples, and what is missing."""
        of = f" of {self.expected:,}" if self.expected is not None and self.expected != len(self.predictions) else ""
        refused = [f"{count:,} {reason}" for reason, count in self.refused.items()]
        return "; ".join([f"{counted(len(self.predictions), 'prediction')}{of}", *refused])

    def __str__(self) -> str:
        width = max(map(len, self.scores), default=0)
        lines = [f"{self.task}: {self.system}" if self.system else self.task, self.counts()]
        for name, value in self.scores.items():
            bounds = f"  {self.intervals[name]}" if name in self.intervals else ""
            lines.append(f"{name:<{width}}  {numbers.score(value)}{bounds}")
        lines += [f"{name} not computed: {reason}" for name, reason in self.not_computed.items()]
        return "\n".join([*lines, *self.warnings])


def score_predictions(
    task: str | tasks.Task, path: str | Path, *, metrics: MetricsSpec | None = None
) -> PredictionScores:
    """Score a file of predictions in a benchmark's own layout by all metrics of its task, or by others.

    `path` is the file, or `FILE::SYSTEM` where it has those of several systems. Raises `UserError`.
    """
    chosen = tasks.get(task)
    found = files.read(chosen, path)
    named = run_metrics(metrics or chosen.metrics, chosen.metrics)
    scorer = Scorer({name: one for name, one in named.items() if one.target not in SELECTION_TARGETS})
    made = tuple(_scored(one, scorer) for one in found.given if one.prediction is not None)
    record = scorer.scores(made)
    refused: dict[str, int] = {}
    for one in found.given:
        if one.prediction is None:
            refused[one.refused] = refused.get(one.refused, 0) + 1
    return PredictionScores(
        task=chosen.name,
        system=found.system,
        scores=record["scores"],
        intervals={name: interval_of(one) for name, one in record["intervals"].items()},
        signatures=record["signatures"],
        not_computed=record["not_computed"],
        predictions=made,
        refused=refused,
        expected=found.expected,
        warnings=tuple(found.warnings),
    )


def _scored(given: GivenPrediction, scorer: Scorer) -> Prediction:
    example = given.example
    bare = Prediction(
        id=example.id, document=example.document.id, query=example.query, references=example.references,
        prediction=str(given.prediction), selected=(), shown_spans=(), requests=0, tokens_in=0, tokens_out=0,
        truncated_tokens=0,
    )  # fmt: skip
    rows: Mapping[str, Mapping[str, Any]] = scorer.rows(example, {"prediction": bare.prediction})
    return replace(bare, statistics=rows)
