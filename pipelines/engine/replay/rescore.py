"""Score a finished run again, or by further metrics, from its predictions; nothing is asked of the reader."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.registry import describe
from longdoc.visible import note
from pipelines import metrics, tasks
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.engine.planning.given_arguments import plain_argument
from pipelines.engine.planning.metric_names import check_names, default_evidence, named_metrics
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
    that cannot be made from the record (one's own that is not `added`) stay as they are; `not_recomputed` has the
    reason. `data` says where the data are now. `judged` has the verdicts of a judge, which replace earlier ones, and
    `judging_fields` is what the scores keep of it. Raises `UserError` for a folder without a finished run, and where
    an added metric needs the documents and they cannot be read.
    """
    record = read_run(path, is_complete=True)
    if record is None or not (path / "predictions.jsonl").is_file():
        raise UserError(
            f"{path} holds no finished run (run.json and predictions.jsonl): give the folder of one, "
            "longdoc runs list lists them"
        )
    old = read_scores(path) if (path / "scores.json").is_file() else {}
    predictions = read_predictions(path, old)
    task = tasks.declared(record["spec"]["task"])
    wanted_metrics = named_metrics(added, task.metrics if task else ())  # first: the record may name what was typed
    recorded, refused_values = metrics.recorded(path / "run.json", record["metrics"])
    further_metrics = {name: metric for name, metric in wanted_metrics.items() if name not in record["metrics"]}
    check_names({**recorded, **further_metrics})
    if judged is not None:
        recorded = {name: metric for name, metric in recorded.items() if name != NAME}
        further_metrics[NAME] = judged
    optional = default_evidence(record["metrics"], task.metrics if task else ())
    scorer = Scorer({**recorded, **further_metrics}, signature_suffix(record["spec"]), optional)
    folder = RunFolder(path, record, start_record({}, (), scorer.signatures))
    try:
        for damage in folder.damage:
            note(damage)
        rescoring = _Rescoring(path, scorer, predictions, FinishedExamples(folder.journal, folder.starts), data)
        if judged is not None:
            rescoring.judge(judged)
        rescoring.compute(frozenset(further_metrics))
        scored = scorer.scores(rescoring.predictions)
        scored["not_computed"] |= rescoring.reasons
        if refused_values:
            scored = _with_earlier_scores(scored, old, refused_values)
        if judging_fields is not None:
            scored["judging"] = dict(judging_fields)
        folder.write_final(rescoring.predictions, old | scored)
        described_fields = {name: describe(metric) for name, metric in further_metrics.items()}
        folder.update_record("metrics", {**record["metrics"], **described_fields} if further_metrics else {})
        folder.update_record("arguments", _with_metrics(record, added) if further_metrics.keys() - {NAME} else {})
    finally:
        folder.close()
    return {"judging": old.get("judging", {})} | scored | {"not_recomputed": refused_values}


def _with_metrics(record: Mapping[str, Any], added: MetricsSpec) -> dict[str, Any]:
    """The arguments of a run with further metrics; empty where its record keeps none."""
    if "arguments" not in record:
        return {}
    given_value = record["arguments"].get("metrics", [name for name in record["metrics"] if name != NAME])
    several_entries = [
        [value] if isinstance(value, (str, Mapping)) else value for value in (given_value, plain_argument(added))
    ]
    return {**record["arguments"], "metrics": [*several_entries[0], *several_entries[1]]}


class _Rescoring:
    """The predictions of a run with the rows of its metrics, and by metric the `reasons` why some have none."""

    def __init__(
        self, path: Path, scorer: Scorer, predictions: Sequence[Prediction], log: FinishedExamples, data: Any
    ) -> None:
        self._path, self._scorer, self._log, self._data = path, scorer, log, data
        self.predictions = [self._with_rows(prediction, {}) for prediction in predictions]
        self.reasons: dict[str, str] = {}

    def judge(self, judged: Judged) -> None:
        """Take the verdicts of a judge in place of earlier ones, and log those that are new."""
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
                examples_of(finished_run(self._path), self._data)  # refuses other data
            return
        values: dict[str, Rows] = {}
        for example in self._examples(predictions, added):
            prediction = predictions[example.id]
            values[prediction.id] = self._scorer.prediction_rows(
                example, prediction, {*prediction.statistics, *self.reasons}
            )
            if values[prediction.id] and prediction.id in self._log:
                self._log.add_rows(prediction.id, values[prediction.id])
        self.predictions = [
            self._with_rows(prediction, values.get(prediction.id, {})) for prediction in self.predictions
        ]

    def _missing(self, prediction: Prediction) -> set[str]:
        ready = self._scorer.ready
        lacking_names = {
            name for name in ready if name not in prediction.statistics and self._scorer.counts(name, prediction)
        }
        return {name for name in lacking_names if ready[name].has_row(prediction.id)}

    def _with_rows(self, prediction: Prediction, rows: Rows) -> Prediction:
        """The prediction with its usable rows in the order of the metrics, then those that are not made again."""
        known_rows = dict(prediction.statistics)
        if prediction.id in self._log:
            other_values = {name: row for name, row in known_rows.items() if name not in self._scorer.ready}
            known_rows = other_values | self._log.rows(prediction.id)
        known_rows |= rows
        names = dict.fromkeys([*self._scorer.metrics, *known_rows])
        return replace(prediction, statistics={name: known_rows[name] for name in names if name in known_rows})

    def _examples(self, lacking_predictions: Mapping[str, Prediction], added: frozenset[str]) -> Iterator[Example]:
        """The examples that lack rows; without their documents where these cannot be read and no metric needs them."""
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
        """Note which of the missing metrics need the documents. Raises `UserError` where one is `added`."""
        hint = "" if "data=" in str(error) else "; data=PATH (--data) says where they are now"
        for name, metric in self._scorer.ready.items():
            if name in missing and (metric.needs_example or metric.target == "selection"):
                self.reasons[name] = f"it needs the examples with their documents: {error}{hint}"
                if name in added:
                    raise UserError(f"{name} is not computed: {self.reasons[name]}")


def _with_earlier_scores(
    scored: dict[str, Any], old: Mapping[str, Any], refused_values: Mapping[str, str]
) -> dict[str, Any]:
    """The new scores, and the earlier ones of metrics that could not be made again."""
    made_now = scored["scores"].keys() | scored["not_computed"].keys()
    earlier_names = [name for name in old.get("scores", {}) if name not in made_now]
    merged = {}
    for part in ("scores", "signatures", "intervals", "no_interval"):
        known_value = old.get(part, {})
        values = {name: known_value[name] for name in earlier_names if name in known_value} | scored[part]
        names = dict.fromkeys([*old.get("scores", {}), *values])
        merged[part] = {name: values[name] for name in names if name in values}
    absent = {} if earlier_names else refused_values
    return scored | merged | {"not_computed": {**scored["not_computed"], **absent}}
