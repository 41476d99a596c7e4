"""Finished runs of the same examples: whether they are comparable, and how far their scores can be trusted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from longdoc.errors import UserError, unknown
from longdoc.messages import counted
from pipelines import metrics
from pipelines.records import Prediction
from pipelines.results.comparisons.cell import Cell
from pipelines.results.run_folders.record import signature_suffix
from pipelines.results.run_folders.run import Run
from pipelines.results.run_folders.spec_differences import data_in_words, signatures_in_words
from pipelines.statistics import bootstrap, paired
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED
from pipelines.statistics.intervals import Difference, Interval
from pipelines.statistics.sample import Sample, units

Ids = tuple[str, ...]
C = TypeVar("C", bound=Cell)


@dataclass(slots=True)
class Rows:
    """The rows of a run's metrics, prepared for resampling; `unusable` says which metrics have none, and why.

    A metric must have a row for every prediction whose references it takes. One that needs no references has more.
    """

    run: Run
    scored: dict[str, Prediction] = field(init=False)
    metrics: dict[str, Any] = field(init=False)
    unusable: dict[str, str] = field(default_factory=dict)
    _samples: dict[tuple[str, Ids], Sample] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scored = {
            prediction.id: prediction
            for prediction in self.run.predictions
            if prediction.references or prediction.statistics
        }
        self.metrics = {}
        run_metrics, reasons = metrics.recorded(self.run.folder / "run.json", self.run.metrics)
        for name in self.run.metrics:
            expected_predictions = (
                prediction for prediction in self.scored.values() if _expects(run_metrics.get(name), prediction)
            )
            if not all(name in prediction.statistics for prediction in expected_predictions):
                self.unusable[name] = "it was not computed"
            elif name in reasons:
                self.unusable[name] = reasons[name]
            elif self.ids_with_row(name, self.ids):
                self.metrics[name] = run_metrics[name]

    @property
    def ids(self) -> Ids:
        """The examples that were scored."""
        return tuple(self.scored)

    def ids_with_row(self, name: str, ids: Ids) -> Ids:
        """The examples among `ids` for which a metric has a row."""
        return tuple(example_id for example_id in ids if name in self.scored[example_id].statistics)

    def sample(self, name: str, ids: Ids) -> Sample:
        """A metric's rows for some of the examples."""
        if (name, ids) not in self._samples:
            ids_with_row = self.ids_with_row(name, ids)
            rows = [self.scored[example_id].statistics[name] for example_id in ids_with_row]
            resampling_units = units(len(rows), [self.scored[example_id].document for example_id in ids_with_row])
            self._samples[name, ids] = Sample(self.metrics[name], rows, resampling_units)
        return self._samples[name, ids]

    def scores(self, ids: Ids) -> dict[str, float]:
        """The scores over some of the examples."""
        scores: dict[str, float] = {}
        for name in self.metrics if ids else ():
            scores |= self.sample(name, ids).scores
        return scores


def named_score(name: str, scores: Collection[str], rows: Rows, ids: Ids, kind: str) -> str:
    """The one of `scores` that is called `name`, or the first one of the metric `name`. Raises `UserError`."""
    if name in scores:
        return name
    metric_scores = rows.sample(name, ids).scores if name in rows.metrics else ()
    first = next((score for score in metric_scores if score in scores), None)
    if first is None:
        raise unknown(kind, name, scores)
    return first


def _expects(metric: metrics.Metric | None, prediction: Prediction) -> bool:
    """Whether a prediction needs a row of a metric; `metric` is None if it cannot be made from the record."""
    return bool(prediction.references) and (metric is None or metric.takes(prediction.references))


def compare_runs(runs: Mapping[str, Run], baseline: str) -> dict[str, Cell]:
    """A cell for each run: its intervals, and its differences from the run named `baseline`, with Holm's correction.

    Documents are resampled if there are two or more, the same ones for all runs. If examples failed, an interval is
    over those that the run has, and a difference over those that both have. Among runs with the same requests and
    predictions, only the first is compared with the baseline. Raises `UserError` for runs that cannot be compared.
    """
    if len(runs) == 1 and _has_intervals(runs[baseline]):
        return {baseline: Cell.of(baseline, runs[baseline])}
    rows_by_name = {name: Rows(run) for name, run in runs.items()}
    for rows in rows_by_name.values():
        check_comparable(rows_by_name[baseline].run, rows.run)
    repetitions = repeated_runs(runs, baseline)
    cells = {}
    for name, rows in rows_by_name.items():
        differences: Mapping[str, Difference] = {}
        if name != baseline:
            unchanged_metrics = (
                equal_metrics(rows_by_name[repetitions[name]], rows) if name in repetitions else set[str]()
            )
            differences = differences_of(rows_by_name[baseline], rows, LEVEL, RESAMPLES, SEED, unchanged_metrics)
        cells[name] = Cell.of(name, with_intervals(rows), differences, repetitions.get(name))
    return corrected(cells)


def request_digests(run: Run) -> frozenset[tuple[str, str, str]] | None:
    """Id, digest of the requests and prediction of each example; None if they are unknown, or nothing was asked.

    Equal for runs with the same reader, requests and predictions.
    """
    if not any(prediction.requests for prediction in run.predictions):
        return None
    if not all(prediction.request_digest or not prediction.requests for prediction in run.predictions):
        return None
    return frozenset(
        (prediction.id, prediction.request_digest, prediction.prediction) for prediction in run.predictions
    )


def equal_metrics(a: Rows, b: Rows) -> set[str]:
    """The metrics that have the same rows in both runs."""
    return {
        name
        for name in b.metrics
        if name in a.metrics
        and a.ids == b.ids
        and all(
            a.scored[example_id].statistics.get(name) == b.scored[example_id].statistics.get(name)
            for example_id in b.ids
        )
    }


def repeated_runs(runs: Mapping[str, Run], baseline: str) -> dict[str, str]:
    """Run → the run whose requests and predictions it repeats: the baseline, or else the first such run."""
    first_names: dict[frozenset[tuple[str, str, str]], str] = {}
    repetitions: dict[str, str] = {}
    for name in sorted(runs, key=lambda run_name: run_name != baseline):
        if (digests := request_digests(runs[name])) is not None and (
            first := first_names.setdefault(digests, name)
        ) != name:
            repetitions[name] = first
    return repetitions


def _has_intervals(run: Run) -> bool:
    """Whether a run's record has intervals, or the reasons why there are none."""
    return bool(run.scores.intervals or run.scores.no_interval)


def with_intervals(rows: Rows, names: Collection[str] | None = None) -> Run:
    """The run with the interval of each score, or why it has none; taken from its record if they are there.

    `names` are the metrics whose scores get an interval, by default all.
    """
    if _has_intervals(rows.run):
        return rows.run
    intervals: dict[str, Interval] = {}
    no_interval: dict[str, str] = {}
    for name in rows.metrics if names is None else [name for name in names if name in rows.metrics]:
        sample = rows.sample(name, rows.ids)
        intervals |= bootstrap.sample_intervals(sample, LEVEL, RESAMPLES, SEED)
        no_interval |= bootstrap.lacking_intervals(sample)
    return replace(rows.run, scores=replace(rows.run.scores, intervals=intervals, no_interval=no_interval))


def differences_of(
    a: Rows, b: Rows, level: float, resamples: int, seed: int, leave_out: Collection[str] = ()
) -> dict[str, Difference]:
    """The differences b - a of all scores over the examples that both have, except of metrics to `leave_out`."""
    ids, differences = common(a, b), dict[str, Difference]()
    for name in a.metrics if ids else ():
        if name in b.metrics and name not in leave_out and a.ids_with_row(name, ids):
            differences |= paired.sample_differences(a.sample(name, ids), b.sample(name, ids), level, resamples, seed)
    return differences


def common(a: Rows, b: Rows) -> Ids:
    """The scored examples that both runs have. Raises `UserError` if an example differs between the runs."""
    ids = tuple(example_id for example_id in a.ids if example_id in b.scored)
    for example_id in ids:
        prediction_a, prediction_b = a.scored[example_id], b.scored[example_id]
        if (prediction_a.document, prediction_a.references) != (prediction_b.document, prediction_b.references):
            raise UserError(
                f"example {example_id} has other references in {b.run.folder} than in {a.run.folder}: the runs used "
                "different data and cannot be compared"
            )
    return ids


def check_comparable(a: Run, b: Run) -> None:
    """Raise `UserError`, naming all differences, if two runs differ in their examples or in a metric's signature."""
    if lines := mismatches(a, b):
        raise UserError(
            f"{a.folder} and {b.folder} cannot be compared: {'; '.join(lines)}. Run one again as the other was run"
        )


def mismatches(a: Run, b: Run, names: tuple[str, str] | None = None) -> list[str]:
    """The differences of two runs' examples and metric settings, in words.

    The runs are called by their `names`, by default those of their folders. A run with another limit or further
    metrics does not differ: such runs are compared over what both have.
    """
    first, second = names or (str(a.folder), str(b.folder))
    differences = []
    for argument in ("task", "split", "sample", *(["seed"] if a.spec.get("sample") else [])):
        value, other = (run.spec.get(argument) for run in (a, b))
        if value != other:
            differences.append(f"other {argument}: {_setting(value)} against {_setting(other)}")
    if a.spec.get("data") != b.spec.get("data"):
        value, other = data_in_words(a.spec.get("data"), b.spec.get("data"))
        detail = (
            f": {first} has {value}{_count(a)}, {second} has {other}{_count(b)}"
            if value
            else " of the same names and sizes"
        )
        differences.append(f"other data{detail}")
    signatures_a, signatures_b = _signatures(a), _signatures(b)
    for name in signatures_a:
        if name in signatures_b and signatures_a[name] != signatures_b[name]:
            differences.append(
                f"other metric settings: {name} ({signatures_in_words(signatures_a[name], signatures_b[name])})"
            )
    return differences


def _setting(value: Any) -> str:
    return "all" if value is None else str(value)


def _count(run: Run) -> str:
    count = len(run.predictions) + len(run.failures)
    return f", {counted(count, 'example')} run"


def _signatures(run: Run) -> dict[str, str]:
    """The signatures of a run's scores, without their parts on the prompt, which may differ."""
    return {
        name: signature.removesuffix(signature_suffix(run.spec)) for name, signature in run.scores.signatures.items()
    }


def corrected(cells: Mapping[str, C]) -> dict[str, C]:
    """The cells with Holm's correction over them (`paired.corrected`)."""
    differences = paired.corrected({name: cell.differences for name, cell in cells.items()})
    return {name: replace(cell, differences=differences[name]) for name, cell in cells.items()}
