"""Two logs of the same samples, paired: their documents, and their scores side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError, unknown
from longdoc.messages import counted
from pipelines.plugins.study.logs.score_log import ScoreLog
from pipelines.plugins.study.statistics.value_sample import GROUPS, ValueSample, grouped
from pipelines.statistics.sample import Floats, Units, units

SHARE, POINTS = 1.0, 100.0  # the largest score of a scale of 0 to 1, and of 0 to 100
LOWEST_SHARE = 0.05  # below this, a log's best score hardly shows that its scale is 0 to 1


@dataclass
class PairedLogs:
    """Two logs, paired by their samples' ids. `cluster` is the field that says which samples belong together.

    `notes` are warnings, `remarks` say how the logs were read.
    """

    a: ScoreLog
    b: ScoreLog
    cluster: str | None = None
    seed: int = 0
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    _columns: dict[str, tuple[Floats, Floats, npt.NDArray[np.intp]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.ids:
            examples = " and ".join(repr(next(iter(log.numbers), "none")[:60]) for log in (self.a, self.b))
            raise UserError(
                f"{self.a.path} and {self.b.path} have no sample in common, by their ids ({examples}): give logs "
                "of the same samples, or the same ids to both"
            )
        self._check_questions()
        self.notes += self._missing_notes()
        self.remarks += [note for log in (self.a, self.b) for note in repeat_notes(log)]

    @cached_property
    def ids(self) -> list[str]:
        """The ids that both have, in the order of the first."""
        return [sample_id for sample_id in self.a.numbers if sample_id in self.b.numbers]

    @cached_property
    def positions(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """The positions of the paired samples in the first and the second log."""
        first, second = (
            np.array([log.numbers[sample_id] for sample_id in self.ids], np.intp) for log in (self.a, self.b)
        )
        return first, second

    @property
    def names(self) -> list[str]:
        """The names of the scores that some paired sample has in both logs."""
        return [name for name in self.a.scores if name in self.b.scores and len(self.values(name)[0])]

    @cached_property
    def clusters(self) -> list[str] | None:
        """The document of each pair; None where none is known. Raises `UserError` for an unknown field."""
        for log, positions in zip((self.a, self.b), self.positions, strict=True):
            name = cluster_field(log, self.cluster)
            if name is not None:
                labels = [log.fields[name][position] for position in positions]
                self._check_labels(name, labels)
                self.remarks.append(f"clusters: {counted(len(set(labels)), name)}, by the samples' field of that name")
                return labels
        if self.cluster is not None:
            names = sorted({*self.a.field_names, *self.b.field_names})
            raise unknown("field of the samples to cluster by", self.cluster, names)
        return None

    def _check_labels(self, name: str, labels: Sequence[str]) -> None:
        """Raise `UserError` where the other log puts a sample into another cluster."""
        other = self.b.fields.get(name)
        if other is None or "" in other:
            return
        for sample_id, label_a, position in zip(self.ids, labels, self.positions[1], strict=True):
            if label_a != other[position]:
                raise UserError(
                    f"the sample {sample_id[:80]!r} has {name} {label_a!r} in {self.a.path} and {other[position]!r} in "
                    f"{self.b.path}: give logs of the same data, or another field (--cluster FIELD)"
                )

    def _check_questions(self) -> None:
        """Raise `UserError` where two samples with one id are different questions, as far as the logs say."""
        if self.a.format != self.b.format:
            return  # each harness has digests of its own
        for sample_id, first, second in zip(self.ids, *self.positions, strict=True):
            digest_a, digest_b = self.a.digests[first], self.b.digests[second]
            if digest_a and digest_b and digest_a != digest_b:
                raise UserError(
                    f"the sample {sample_id[:80]!r} is another question in {self.b.path} than in {self.a.path}: "
                    "give logs of the same data"
                )

    def _missing_notes(self) -> list[str]:
        """For each log the number of samples that the other does not have."""
        notes = []
        for log, other in ((self.a, self.b), (self.b, self.a)):
            missing_count = len(other.numbers) - len(self.ids)
            if missing_count:
                total = counted(len(other.numbers), "sample")
                notes.append(f"{missing_count:,} of {total} left out: {log.path} has none of them")
        return notes

    def values(self, name: str) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
        """A score of the pairs that have it in both logs, and which pairs these are."""
        if name not in self._columns:
            first, second = self.positions
            left, right = self.a.sample_scores(name)[first], self.b.sample_scores(name)[second]
            present = np.flatnonzero(~(np.isnan(left) | np.isnan(right)))
            self._columns[name] = left[present], right[present], present
        return self._columns[name]

    def scale(self, name: str) -> float:
        """The factor that brings a score to points of 100: 100 for shares, else 1."""
        return points_factor(self.values(name)[:2])

    def samples(self, name: str, factor: float | None = None) -> tuple[ValueSample, ValueSample]:
        """A score of both logs, prepared for resampling, on the scale of 0 to 100 or multiplied by `factor`."""
        left, right, present = self.values(name)
        factor = self.scale(name) if factor is None else factor
        pair_units = self.units(present)
        return ValueSample(name, left * factor, pair_units), ValueSample(name, right * factor, pair_units)

    def units(self, present: npt.NDArray[np.intp]) -> Units:
        """The units of these pairs that are resampled: documents, or samples where no document is known."""
        labels = None if self.clusters is None else [self.clusters[pair] for pair in present]
        return grouped(units(len(present), labels), self.seed)

    def score_notes(self, name: str) -> list[str]:
        """Notes on a score: samples without it, very many units, and different scales."""
        left, right, present = self.values(name)
        notes = []
        if missing_count := len(self.ids) - len(present):
            total = counted(len(self.ids), "sample")
            notes.append(f"{name}: {missing_count:,} of {total} left out, which have none in a or in b")
        if self.units(present).count == GROUPS < len(present):
            notes.append(f"{name}: {GROUPS:,} random groups of samples are resampled")
        low, high = sorted((left.max(), right.max()))
        if left.min() >= 0 and right.min() >= 0 and LOWEST_SHARE < low <= SHARE < high <= POINTS:
            notes.append(f"{name} is at most {low:g} in one log and {high:g} in the other: are both on the same scale?")
        return notes


def repeat_notes(log: ScoreLog) -> list[str]:
    """A note on a log whose samples have several epochs."""
    minimum, maximum = log.repeats
    if maximum < 2:
        return []
    counts = f"{maximum:,}" if minimum == maximum else f"{minimum:,} to {maximum:,}"
    means = f"{log.path}: {counts} repeats of a sample, whose mean counts"
    return [f"{means} (longdoc analyze repeats shows how they vary)"]


def points_factor(columns: Sequence[Floats]) -> float:
    """The factor that brings values to points of 100: 100 for shares, else 1."""
    columns = [column for column in columns if len(column)]
    low, high = (min(map(np.min, columns)), max(map(np.max, columns))) if columns else (0, 0)
    return POINTS if low >= 0 and 0 < high <= SHARE else 1.0


def cluster_field(log: ScoreLog, cluster: str | None) -> str | None:
    """The field of the log's clusters: `cluster` where it is given, else the first that all samples have; or None."""
    for name, labels in log.fields.items():
        missing_count = labels.count("")
        if name == cluster and missing_count:
            raise UserError(
                f"{log.path}: {counted(missing_count, 'sample')} without {name}: give each its document, or another "
                "field (--cluster FIELD)"
            )
        if not missing_count and name == (cluster or name):
            return name
    return None
