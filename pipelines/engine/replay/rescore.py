"""Score a finished run again, or by further metrics, from its predictions, without asking the reader."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import note
from longdoc.registry import describe
from pipelines import metrics, tasks
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.engine.planning.given_arguments import plain_argument
from pipelines.engine.planning.metric_names import check_names, named_metrics, optional_metrics
from pipelines.engine.planning.spec import start_record
from pipelines.engine.recording.finished_examples import FinishedExamples
from pipelines.engine.recording.run_folder import RunFolder
from pipelines.engine.running.scoring import Scorer
from pipelines.metrics.judged import NAME, Judged
from pipelines.records import Document, Example, Prediction
from pipelines.results.final_files import read_predictions, read_scores
from pipelines.results.run_folders.record import read_run, signature_suffix
from pipelines.results.run_folders.run import examples_of, finished_run

Rows = Mapping[str, Mapping[str, float]]


def rescore(
    path: Path,
    added: MetricsSpec = (),
    data: Any = None,
    judged: Judged | None = None,
    judging_fields: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Score a run's folder from its predictions, by its metrics and the `added` ones, and rewrite its final files.

    Rows of metrics that the run has are used as they are; missing ones are computed and logged. The scores of a metric
    that cannot be made from the record (one of the user's own that is not `added`) stay as they are; `not_recomputed`
    has the reason. `data` says where the data are now. `judged` has the verdicts of a judge, which replace earlier
    ones, and `judging_fields` is the record of the judge for `scores.json`. Raises `UserError` for a folder without a
    finished run, and where an added metric needs the documents and they cannot be read.
    """
    record = read_run(path, is_complete=True)
    if record is None or not (path / "predictions.jsonl").is_file():
        raise UserError(
            f"{path} has no finished run (with run.json and predictions.jsonl): give a run's folder; "
            "longdoc runs list shows them"
        )
    old = read_scores(path) if (path / "scores.json").is_file() else {}
    predictions = read_predictions(path, old)
    task = tasks.declared(record["spec"]["task"])
    added_metrics = named_metrics(added, task.metrics if task else ())  # first: so the record may name them, too
    recorded, not_recomputed = metrics.recorded(path / "run.json", record["metrics"])
    further_metrics = {name: metric for name, metric in added_metrics.items() if name not in record["metrics"]}
    check_names({**recorded, **further_metrics})
    if judged is not None:
        recorded = {name: metric for name, metric in recorded.items() if name != NAME}
        further_metrics[NAME] = judged
    optional = optional_metrics(record["metrics"], task.metrics if task else ())
    scorer = Scorer({**recorded, **further_metrics}, signature_suffix(record["spec"]), optional)
    folder = RunFolder(path, record, start_record({}, (), scorer.signatures))
    try:
        for damage in folder.damage:
            note(damage)
        rescoring = _Rescoring(path, scorer, predictions, FinishedExamples(folder.journal, folder.starts), data)
        if judged is not None:
            rescoring.judge(judged)
        rescoring.compute(frozenset(further_metrics))
        content = scorer.scores(rescoring.predictions)
        content["not_computed"] |= rescoring.reasons
        if not_recomputed:
            content = _with_earlier_scores(content, old, not_recomputed)
        if judging_fields is not None:
            content["judging"] = dict(judging_fields)
        folder.write_final(rescoring.predictions, old | content)
        descriptions = {name: describe(metric) for name, metric in further_metrics.items()}
        folder.update_record("metrics", {**record["metrics"], **descriptions} if further_metrics else {})
        folder.update_record("arguments", _with_metrics(record, added) if further_metrics.keys() - {NAME} else {})
    finally:
        folder.close()
    return {"judging": old.get("judging", {})} | content | {"not_recomputed": not_recomputed}


def _with_metrics(record: Mapping[str, Any], added: MetricsSpec) -> dict[str, Any]:
    """The arguments in a run's record with further metrics; empty where it keeps no arguments."""
    if "arguments" not in record:
        return {}
    recorded = record["arguments"].get("metrics", [name for name in record["metrics"] if name != NAME])
    specs: list[Any] = []
    for metrics_spec in (recorded, plain_argument(added)):
        specs += [metrics_spec] if isinstance(metrics_spec, (str, Mapping)) else metrics_spec
    return {**record["arguments"], "metrics": specs}


class _Rescoring:
    """The predictions of a run with the rows of its metrics, and the `reasons` why some metrics have none."""

    def __init__(
        self, path: Path, scorer: Scorer, predictions: Sequence[Prediction], log: FinishedExamples, data: Any
    ) -> None:
        self._path, self._scorer, self._log, self._data = path, scorer, log, data
        self.predictions = [self._with_rows(prediction, {}) for prediction in predictions]
        self.reasons: dict[str, str] = {}

    def judge(self, judged: Judged) -> None:
        """Replace earlier verdicts by those of a judge, and log the new ones."""
        with_verdicts = []
        for prediction in self.predictions:
            rows = {name: row for name, row in prediction.statistics.items() if name != NAME}
            verdict = dict(judged.verdicts[prediction.id]) if judged.has_row(prediction.id) else None
            if verdict is not None:
                rows[NAME] = verdict
                if prediction.id in self._log and verdict != self._log.rows(prediction.id).get(NAME):
                    self._log.add_rows(prediction.id, {NAME: verdict})
            with_verdicts.append(replace(prediction, statistics=rows))
        self.predictions = with_verdicts

    def compute(self, added: frozenset[str]) -> None:
        """Compute and log the rows that are missing. Raises `UserError` where an `added` metric lacks its data."""
        predictions = {prediction.id: prediction for prediction in self.predictions if self._missing(prediction)}
        if not predictions:
            if self._data is not None:
                examples_of(finished_run(self._path), self._data)  # raises `UserError` for other data
            return
        rows_by_example: dict[str, Rows] = {}
        for example in self._examples(predictions, added):
            prediction = predictions[example.id]
            rows_by_example[prediction.id] = self._scorer.prediction_rows(
                example, prediction, {*prediction.statistics, *self.reasons}
            )
            if rows_by_example[prediction.id] and prediction.id in self._log:
                self._log.add_rows(prediction.id, rows_by_example[prediction.id])
        self.predictions = [
            self._with_rows(prediction, rows_by_example.get(prediction.id, {})) for prediction in self.predictions
        ]

    def _missing(self, prediction: Prediction) -> set[str]:
        """The metrics that lack a row of a prediction and could have one."""
        return {
            name
            for name, metric in self._scorer.ready.items()
            if name not in prediction.statistics
            and self._scorer.applies_to(name, prediction)
            and metric.has_row(prediction.id)
        }

    def _with_rows(self, prediction: Prediction, rows: Rows) -> Prediction:
        """The prediction with its usable and the new rows, in the order of the metrics, then rows of other metrics."""
        all_rows = dict(prediction.statistics)
        if prediction.id in self._log:
            other_rows = {name: row for name, row in all_rows.items() if name not in self._scorer.ready}
            all_rows = other_rows | self._log.rows(prediction.id)
        all_rows |= rows
        names = dict.fromkeys([*self._scorer.metrics, *all_rows])
        return replace(prediction, statistics={name: all_rows[name] for name in names if name in all_rows})

    def _examples(self, lacking_predictions: Mapping[str, Prediction], added: frozenset[str]) -> Iterator[Example]:
        """The examples that lack rows, without documents where these cannot be read and no metric needs them."""
        try:
            dataset = examples_of(finished_run(self._path), self._data)
        except UserError as error:
            if self._data is not None:
                raise
            self._leave_out(set().union(*map(self._missing, lacking_predictions.values())), added, error)
            yield from (
                Example(prediction.id, Document("", ""), prediction.query, prediction.references)
                for prediction in lacking_predictions.values()
            )
            return
        yield from (example for example in dataset.examples() if example.id in lacking_predictions)

    def _leave_out(self, missing: AbstractSet[str], added: frozenset[str], error: UserError) -> None:
        """Keep the reason for missing metrics that need the documents. Raises `UserError` where one is `added`."""
        hint = "" if "data=" in str(error) else "; data=PATH (--data) says where they are now"
        for name, metric in self._scorer.ready.items():
            if name in missing and (metric.needs_example or metric.target == "selection"):
                self.reasons[name] = f"it needs the examples with their documents: {error}{hint}"
                if name in added:
                    raise UserError(f"{name} is not computed: {self.reasons[name]}")


def _with_earlier_scores(
    content: dict[str, Any], old: Mapping[str, Any], not_recomputed: Mapping[str, str]
) -> dict[str, Any]:
    """The new scores, and the earlier ones of metrics that could not be made again."""
    new_names = content["scores"].keys() | content["not_computed"].keys()
    earlier = [name for name in old.get("scores", {}) if name not in new_names]
    parts = {}
    for part in ("scores", "signatures", "intervals", "no_interval"):
        by_score = {name: old[part][name] for name in earlier if name in old.get(part, {})} | content[part]
        names = dict.fromkeys([*old.get("scores", {}), *by_score])
        parts[part] = {name: by_score[name] for name in names if name in by_score}
    absent = {} if earlier else not_recomputed
    return content | parts | {"not_computed": {**content["not_computed"], **absent}}
