"""Finished runs of the same examples: whether they are comparable, and how far their scores can be trusted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from longdoc.errors import UserError
from longdoc.plurals import counted
from pipelines import metrics
from pipelines.records import Prediction
from pipelines.results.run_folders.record import signature_suffix
from pipelines.results.run_folders.run import Run
from pipelines.results.run_folders.spec_differences import data_in_words, signatures_in_words
from pipelines.statistics import bootstrap, paired
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED
from pipelines.statistics.difference import Difference
from pipelines.statistics.intervals import Interval
from pipelines.statistics.sample import Sample, units

Ids = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run whose scores have intervals, and their differences from the baseline's (empty for the baseline).

    `same_as` names the run that had the same requests and predictions: the baseline, or an earlier run. Scores with
    the same rows then have none.
    """

    run: Run
    differences: Mapping[str, Difference] = field(default_factory=dict)
    same_as: str | None = None


@dataclass(slots=True)
class Rows:
    """The rows of a run's metrics, prepared for resampling; `unusable` says which metrics have none, and why.

    A metric needs a row for every prediction with references that it takes, as it does for the run's scores; one that
    needs no references has more.
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
        known_metrics, reasons = metrics.recorded(self.run.folder / "run.json", self.run.metrics)
        for name in self.run.metrics:
            expected_predictions = (
                prediction for prediction in self.scored.values() if _expects(known_metrics.get(name), prediction)
            )
            if not all(name in prediction.statistics for prediction in expected_predictions):
                self.unusable[name] = "it was not computed"
            elif name in reasons:
                self.unusable[name] = reasons[name]
            elif self.ids_with_row(name, self.ids):
                self.metrics[name] = known_metrics[name]

    @property
    def ids(self) -> Ids:
        """The examples that were scored."""
        return tuple(self.scored)

    def ids_with_row(self, name: str, ids: Ids) -> Ids:
        """Those of the examples that a metric has a row for."""
        return tuple(example_id for example_id in ids if name in self.scored[example_id].statistics)

    def sample(self, name: str, ids: Ids) -> Sample:
        """The rows of one metric for some of the examples."""
        if (name, ids) not in self._samples:
            ids_with_row = self.ids_with_row(name, ids)
            rows = [self.scored[example_id].statistics[name] for example_id in ids_with_row]
            resampling_units = units(len(rows), [self.scored[example_id].document for example_id in ids_with_row])
            self._samples[name, ids] = Sample(self.metrics[name], rows, resampling_units)
        return self._samples[name, ids]

    def scores(self, ids: Ids) -> dict[str, float]:
        """The scores of some of the examples."""
        scores: dict[str, float] = {}
        for name in self.metrics if ids else ():
            scores |= self.sample(name, ids).scores
        return scores


def _expects(metric: metrics.Metric | None, prediction: Prediction) -> bool:
    """Whether a prediction needs a row of a metric, None for one that cannot be made of the record."""
    return bool(prediction.references) and (metric is None or metric.takes(prediction.references))


def compare_runs(runs: Mapping[str, Run], baseline: str) -> dict[str, ComparedRun]:
    """Intervals of every run, and differences from the run named `baseline` with Holm's correction over the runs.

    Documents are resampled where there are two or more, and all runs alike. Where examples failed, an interval is over
    those that the run has, a difference over those that both have. Of runs with the same requests and predictions only
    the first is compared with the baseline. Raises `UserError` for runs that cannot be compared.
    """
    if len(runs) == 1 and _has_intervals(runs[baseline]):
        return {baseline: ComparedRun(runs[baseline])}
    rows_by_name = {name: Rows(run) for name, run in runs.items()}
    for rows in rows_by_name.values():
        check_comparable(rows_by_name[baseline].run, rows.run)
    repetitions = _repetitions(runs, baseline)
    compared_runs = {}
    for name, rows in rows_by_name.items():
        differences: Mapping[str, Difference] = {}
        if name != baseline:
            equal_names = equal_metrics(rows_by_name[repetitions[name]], rows) if name in repetitions else set[str]()
            differences = differences_of(rows_by_name[baseline], rows, LEVEL, RESAMPLES, SEED, equal_names)
        compared_runs[name] = ComparedRun(with_intervals(rows), differences, repetitions.get(name))
    return corrected(compared_runs)


def request_digests(run: Run) -> frozenset[tuple[str, str, str]] | None:
    """What a run's reader was shown and what came of it, by example; None where it is not known, or nothing was asked.

    Equal for runs whose readers are alike, were shown the same, and whose predictions are the same.
    """
    if not any(prediction.requests for prediction in run.predictions):
        return None
    if not all(prediction.request_digest or not prediction.requests for prediction in run.predictions):
        return None
    return frozenset(
        (prediction.id, prediction.request_digest, prediction.prediction) for prediction in run.predictions
    )


def equal_metrics(a: Rows, b: Rows) -> set[str]:
    """The metrics that have the same rows in both of two such runs."""
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


def _repetitions(runs: Mapping[str, Run], baseline: str) -> dict[str, str]:
    """The runs that repeat the requests and predictions of another, and which: the baseline, else the first of them."""
    first_names: dict[frozenset[tuple[str, str, str]], str] = {}
    repetitions: dict[str, str] = {}
    for name in sorted(runs, key=lambda run_name: run_name != baseline):
        if (digests := request_digests(runs[name])) is not None and (
            first := first_names.setdefault(digests, name)
        ) != name:
            repetitions[name] = first
    return repetitions


def _has_intervals(run: Run) -> bool:
    """Whether the intervals of a run, or why there are none, were kept when it was scored."""
    return bool(run.scores.intervals or run.scores.no_interval)


def with_intervals(rows: Rows) -> Run:
    """The run with the interval of each score, or why it has none: as it was scored, where that was kept."""
    if _has_intervals(rows.run):
        return rows.run
    intervals: dict[str, Interval] = {}
    no_interval: dict[str, str] = {}
    for name in rows.metrics:
        sample = rows.sample(name, rows.ids)
        intervals |= bootstrap.sample_intervals(sample, LEVEL, RESAMPLES, SEED)
        no_interval |= bootstrap.lacking_intervals(sample)
    return replace(rows.run, scores=replace(rows.run.scores, intervals=intervals, no_interval=no_interval))


def differences_of(
    a: Rows, b: Rows, level: float, resamples: int, seed: int, leave_out: Collection[str] = ()
) -> dict[str, Difference]:
    """Each score of `b` less that of `a`, over the examples that both have; not of the metrics to `leave_out`."""
    ids, differences = common(a, b), dict[str, Difference]()
    for name in a.metrics if ids else ():
        if name in b.metrics and name not in leave_out and a.ids_with_row(name, ids):
            differences |= paired.sample_differences(a.sample(name, ids), b.sample(name, ids), level, resamples, seed)
    return differences


def common(a: Rows, b: Rows) -> Ids:
    """The scored examples that both runs have. Raises `UserError` where the two runs' examples of one id differ."""
    ids = tuple(example_id for example_id in a.ids if example_id in b.scored)
    for example_id in ids:
        left, right = a.scored[example_id], b.scored[example_id]
        if (left.document, left.references) != (right.document, right.references):
            raise UserError(
                f"example {example_id} has other references in {b.run.folder} than in {a.run.folder}: these are runs "
                "of other "
                "data, or of data read otherwise, and cannot be compared"
            )
    return ids


def check_comparable(a: Run, b: Run) -> None:
    """Raise `UserError`, naming all differences, where two runs differ in their examples or in a metric's signature."""
    if lines := mismatches(a, b):
        raise UserError(
            f"{a.folder} and {b.folder} cannot be compared: {'; '.join(lines)}. Run one again as the other was run"
        )


def mismatches(a: Run, b: Run, names: tuple[str, str] | None = None) -> list[str]:
    """How two runs differ in their examples and their metrics' settings, in words.

    The runs are called by their `names`, by default those of their folders. A run with another limit or further
    metrics does not differ: such runs are compared over what both have.
    """
    first, second = names or (str(a.folder), str(b.folder))
    lines = []
    for argument in ("task", "split", "sample", *(["seed"] if a.spec.get("sample") else [])):
        value, other = (run.spec.get(argument) for run in (a, b))
        if value != other:
            lines.append(f"other {argument}: {_setting_text(value)} against {_setting_text(other)}")
    if a.spec.get("data") != b.spec.get("data"):
        value, other = data_in_words(a.spec.get("data"), b.spec.get("data"))
        detail = (
            f": {first} has {value}{_count(a)}, {second} has {other}{_count(b)}"
            if value
            else " of the same names and sizes"
        )
        lines.append(f"other data{detail}")
    left, right = _signatures(a), _signatures(b)
    for name in left:
        if name in right and left[name] != right[name]:
            lines.append(f"other metric settings: {name} ({signatures_in_words(left[name], right[name])})")
    return lines


def _setting_text(value: Any) -> str:
    return "all" if value is None else str(value)


def _count(run: Run) -> str:
    count = len(run.predictions) + len(run.failures)
    return f", {counted(count, 'example')} run"


def _signatures(run: Run) -> dict[str, str]:
    """The signatures without their parts on the prompt, which may differ."""
    return {
        name: signature.removesuffix(signature_suffix(run.spec)) for name, signature in run.scores.signatures.items()
    }


def corrected(runs: Mapping[str, ComparedRun]) -> dict[str, ComparedRun]:
    """The runs with Holm's correction: for each score over all runs that have a difference."""
    corrected_differences = [dict(run.differences) for run in runs.values()]
    for score in dict.fromkeys(name for differences in corrected_differences for name in differences):
        family = [differences for differences in corrected_differences if score in differences]
        for differences, difference in zip(
            family, paired.holm([differences[score] for differences in family]), strict=True
        ):
            differences[score] = difference
    return {
        name: replace(run, differences=differences)
        for (name, run), differences in zip(runs.items(), corrected_differences, strict=True)
    }
