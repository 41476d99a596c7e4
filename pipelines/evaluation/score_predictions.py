"""Score a benchmark's own files of predictions, as a run of ours is scored."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from longdoc import locks
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.folders import make_folder, output_folder
from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from pipelines import tasks
from pipelines.engine.planning.argument_types import MetricsSpec, ReaderSpec
from pipelines.engine.planning.metric_names import run_metrics
from pipelines.engine.scoring import Scorer
from pipelines.evaluation import predictions as files
from pipelines.evaluation.judging.judge import Judge
from pipelines.evaluation.judging.judge_run import agreement, judge_for
from pipelines.evaluation.predictions import GivenPrediction
from pipelines.metrics import SELECTION_TARGETS
from pipelines.metrics.judged import NAME
from pipelines.records import Prediction
from pipelines.results import judging
from pipelines.results.display import numbers
from pipelines.results.example_scores import by_metric
from pipelines.results.intervals import Interval, interval_of
from pipelines.sources import _zip


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
    judging: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

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
        return "\n".join([*lines, *judging.lines(self.judging), *judging.agreement_lines(self.judging), *self.warnings])


def score_predictions(
    task: str | tasks.Task,
    path: str | Path,
    *,
    metrics: MetricsSpec | None = None,
    judge: ReaderSpec | None = None,
    judge_prompts_from: str | Path | None = None,
    out: str | Path | None = None,
) -> PredictionScores:
    """Score a file of predictions in a benchmark's own layout by all metrics of its task, or by others.

    `path` is the file, or `FILE::SYSTEM` where it has those of several systems. `judge` is a reader that is asked of
    each prediction whether it is right, `judge_prompts_from` the file with its prompt, and `out` the folder for what it
    says, by default FILE.judged. Raises `UserError`.
    """
    chosen = tasks.get(task)
    asked = judge_for(chosen, judge, judge_prompts_from)
    if asked is None and out is not None:
        raise UserError("out= is the folder for what a judge says: give judge=MODEL too, or leave it out")
    found = files.read(chosen, path)
    named = run_metrics(metrics or chosen.metrics, chosen.metrics)
    scorer = Scorer({name: one for name, one in named.items() if one.target not in SELECTION_TARGETS})
    made = tuple(_scored(one, scorer) for one in found.given if one.prediction is not None)
    record = scorer.scores(made)
    said: dict[str, Any] = {}
    if asked is not None:
        place = Path(str(path).partition(_zip.SEPARATOR)[0]).expanduser()
        folder = output_folder(place.with_name(f"{place.name}.judged") if out is None else out)
        record, said, made = _judged(asked, made, scorer, folder)
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
        judging=said,
    )


def _judged(
    judge: Judge, made: Sequence[Prediction], scorer: Scorer, folder: Path
) -> tuple[dict[str, Any], dict[str, Any], tuple[Prediction, ...]]:
    """The scores with those of the judge, what it said and took, and the predictions with its verdicts."""
    make_folder(folder)
    if (lock := locks.locked(folder)) is None:
        raise UserError(f"another process judges into {folder}; wait for it, or choose another folder with out=")
    try:
        verdicts = judge.judge(made, folder)
    finally:
        lock.release()
    rows = verdicts.metric.verdicts
    judged = tuple(
        replace(one, statistics={**one.statistics, NAME: rows[one.id]}) if one.id in rows else one for one in made
    )
    both = Scorer({**scorer.metrics, NAME: verdicts.metric})
    record = both.scores(judged)
    scores = {
        name: values for found in by_metric(both.ready, judged, record["scores"]) for name, values in found.items()
    }
    said = verdicts.record(agreement(verdicts, [one.id for one in judged], scores))
    kept = {name: record[name] for name in ("scores", "signatures", "intervals", "not_computed")} | {"judging": said}
    write_whole(folder, "scores.json", json.dumps(kept, indent=2, ensure_ascii=False) + "\n")
    return record, said, judged


def _scored(given: GivenPrediction, scorer: Scorer) -> Prediction:
    example = given.example
    bare = Prediction(
        id=example.id, document=example.document.id, query=example.query, references=example.references,
        prediction=str(given.prediction), selected=(), shown_spans=(), requests=0, tokens_in=0, tokens_out=0,
        truncated_tokens=0,
    )  # fmt: skip
    rows: Mapping[str, Mapping[str, Any]] = scorer.rows(example, {"prediction": bare.prediction})
    return replace(bare, statistics=rows)
