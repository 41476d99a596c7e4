"""Score a benchmark's own files of predictions, as a run of ours is scored."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.engine.planning.metric_names import run_metrics
from pipelines.engine.scoring import Scorer
from pipelines.evaluation import _joined_data
from pipelines.evaluation import predictions as files
from pipelines.evaluation._prediction_scores import PredictionScores, PredictionTable
from pipelines.evaluation.predictions import GivenPrediction
from pipelines.metrics import SELECTION_TARGETS
from pipelines.records import Prediction
from pipelines.results.intervals import interval_of


def score_predictions(
    task: str | tasks.Task,
    path: str | Path,
    *,
    data: Any = None,
    split: str | None = None,
    metrics: MetricsSpec | None = None,
) -> PredictionScores:
    """Score a file of predictions in a benchmark's own layout by all metrics of its task, or by others.

    `path` is the file, or `FILE::SYSTEM` where it has those of several systems. With `data`, the benchmark's data or
    "published", predictions are joined to their examples by id: the labels are the data's, examples without a
    prediction are counted, intervals are by document. Raises `UserError`.
    """
    chosen = tasks.get(task)
    found = files.read(chosen, path)
    if split is not None and data is None:
        raise UserError(f"split={split!r} is one of the benchmark's data: give data=PATH too")
    given: Iterable[GivenPrediction] = found.given
    if data is not None:
        where = None if data == "published" else data
        given = _joined_data.joined(found, chosen, where, split or chosen.split)
    elif not any(one.example.references for one in found.given):
        raise UserError(f"{path} has no labels: give the benchmark's data, --data PATH (or --data published)")
    named = run_metrics(metrics or chosen.metrics, chosen.metrics)
    usable = {name: one for name, one in named.items() if one.target not in SELECTION_TARGETS}
    scorer = _Scorers(
        Scorer({name: one for name, one in usable.items() if not one.counts_refused}),
        Scorer({name: one for name, one in usable.items() if one.counts_refused}),
    )
    made, unanswered, refused, titles = list[Prediction](), list[Prediction](), Counter[str](), dict[str, str]()
    for one in given:
        (unanswered if one.prediction is None else made).append(scorer.scored(one))
        refused.update([one.refused] if one.prediction is None else [])
        titles[one.example.document.id] = one.example.document.title
    record = scorer.scores(made, unanswered)
    return PredictionScores(
        task=chosen.name,
        system=found.system,
        scores=record["scores"],
        intervals={name: interval_of(one) for name, one in record["intervals"].items()},
        no_interval=record["no_interval"],
        signatures=record["signatures"],
        not_computed=record["not_computed"],
        predictions=tuple(made),
        unanswered=tuple(unanswered),
        refused=dict(refused),
        expected=found.expected,
        warnings=tuple(found.warnings),
        all_scores=scorer.all_scores(made, unanswered),
        by_document=_by_document(scorer, made, unanswered, titles),
    )


def score_prediction_files(
    task: str | tasks.Task,
    paths: Sequence[str | Path],
    *,
    data: Any = None,
    split: str | None = None,
    metrics: MetricsSpec | None = None,
) -> PredictionTable:
    """Score several files of predictions, or all systems that a file holds, by the metrics of one task.

    See `score_predictions`. Raises `UserError`.
    """
    chosen = tasks.get(task)
    each = [one for path in paths for one in files.systems(chosen, path)]
    found = [score_predictions(chosen, one, data=data, split=split, metrics=metrics) for one in each]
    return PredictionTable(chosen.name, tuple(found))


@dataclass(frozen=True, slots=True)
class _Scorers:
    """The metrics of predictions alone, and those that count the examples that were refused."""

    alone: Scorer
    counting: Scorer

    def scored(self, given: GivenPrediction) -> Prediction:
        """The prediction with the rows of all metrics; one that was refused as an empty output."""
        example = given.example
        bare = Prediction(
            id=example.id, document=example.document.id, query=example.query, references=example.references,
            prediction=given.prediction or "", selected=(), shown_spans=(), requests=0, tokens_in=0, tokens_out=0,
            truncated_tokens=0,
        )  # fmt: skip
        outputs = {"prediction": bare.prediction}
        rows: Mapping[str, Any] = self.alone.rows(example, outputs) | self.counting.rows(example, outputs)
        return replace(bare, statistics=rows)

    def scores(self, made: list[Prediction], unanswered: list[Prediction]) -> dict[str, Any]:
        """The content of `scores.json`, each metric over the examples that it counts."""
        one, other = self.alone.scores(made), self.counting.scores([*made, *unanswered])
        parts = ("scores", "intervals", "no_interval", "signatures", "not_computed")
        return {part: one[part] | other[part] for part in parts}

    def all_scores(self, made: list[Prediction], unanswered: list[Prediction]) -> dict[str, float]:
        """The scores over all examples; none where nothing was refused."""
        if not unanswered:
            return {}
        everything = [*made, *unanswered]
        return _aggregated(self.alone, everything) | _aggregated(self.counting, everything)

    def plain_scores(self, made: list[Prediction], unanswered: list[Prediction]) -> dict[str, float]:
        """The scores alone."""
        return _aggregated(self.alone, made) | _aggregated(self.counting, [*made, *unanswered])


def _aggregated(scorer: Scorer, predictions: list[Prediction]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for name, metric in scorer.ready.items():
        rows = [one.statistics[name] for one in predictions if name in one.statistics]
        scores |= metric.aggregate(rows) if rows else {}
    return scores


def _by_document(
    scorer: _Scorers, made: list[Prediction], unanswered: list[Prediction], titles: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """The scores of each document, where all have a title and there are several."""
    if len(titles) < 2 or not all(titles.values()):
        return {}
    return {
        title: scorer.plain_scores(
            [one for one in made if one.document == name], [one for one in unanswered if one.document == name]
        )
        for name, title in titles.items()
    }
