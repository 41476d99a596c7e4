"""Two logs of the same samples: which pair, which document each is about, and their scores side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError, unknown
from longdoc.plurals import counted
from pipelines.evaluation.score_logs.score_log import ScoreLog
from pipelines.statistics.sample import Floats, Units, units
from pipelines.statistics.value_sample import GROUPS, ValueSample, grouped

SHARE, POINTS = 1.0, 100.0  # the largest score of a scale of 0 to 1, and of 0 to 100
LOWEST_SHARE = 0.05  # a log whose best share is less than this is hardly of a scale of 0 to 1


@dataclass
class PairedLogs:
    """Two logs, paired by their samples' ids. `cluster` is the field that says which samples belong together.

    `notes` are what to beware of, `remarks` how the logs were read.
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
        """Where the paired samples are in the first and the second log."""
        first, second = (np.array([log.numbers[name] for name in self.ids], np.intp) for log in (self.a, self.b))
        return first, second

    @property
    def names(self) -> list[str]:
        """The scores that a paired sample has in both logs."""
        return [name for name in self.a.scores if name in self.b.scores and len(self.values(name)[0])]

    @cached_property
    def clusters(self) -> list[str] | None:
        """The document of each pair; None where none is known. Raises `UserError` for a field that is not there."""
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
                    f"{self.b.path}: these are logs of other data, or choose another field (--cluster FIELD)"
                )

    def _check_questions(self) -> None:
        """Raise `UserError` where two samples of one id are other questions, as far as the logs say."""
        if self.a.format != self.b.format:
            return  # each harness has digests of its own
        for sample_id, first, second in zip(self.ids, *self.positions, strict=True):
            question, other = self.a.digests[first], self.b.digests[second]
            if question and other and question != other:
                raise UserError(
                    f"the sample {sample_id[:80]!r} is another question in {self.b.path} than in {self.a.path}: "
                    "give logs of the same data"
                )

    def _missing_notes(self) -> list[str]:
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
        """What values of a score are multiplied by, so that they are points of 100: 100 for shares, else 1."""
        return points_factor(self.values(name)[:2])

    def samples(self, name: str, factor: float | None = None) -> tuple[ValueSample, ValueSample]:
        """A score of both, prepared for resampling, on the scale of 0 to 100, or multiplied by `factor`."""
        left, right, present = self.values(name)
        factor = self.scale(name) if factor is None else factor
        shared = self.units(present)
        return ValueSample(name, left * factor, shared), ValueSample(name, right * factor, shared)

    def units(self, present: npt.NDArray[np.intp]) -> Units:
        """What is resampled of these pairs."""
        labels = None if self.clusters is None else [self.clusters[pair] for pair in present]
        return grouped(units(len(present), labels), self.seed)

    def score_notes(self, name: str) -> list[str]:
        """What is to be said of a score: samples without it, its scale, very many units."""
        left, right, present = self.values(name)
        notes = []
        if missing_count := len(self.ids) - len(present):
            total = counted(len(self.ids), "sample")
            notes.append(f"{name}: {missing_count:,} of {total} left out, which have none in a or in b")
        if self.units(present).count == GROUPS < len(present):
            notes.append(f"{name}: resampled are {GROUPS:,} groups of samples, put together at random")
        low, high = sorted((left.max(), right.max()))
        if left.min() >= 0 and right.min() >= 0 and LOWEST_SHARE < low <= SHARE < high <= POINTS:
            notes.append(f"{name} is at most {low:g} in one log and {high:g} in the other: are both on the same scale?")
        return notes


def repeat_notes(log: ScoreLog) -> list[str]:
    """What is to be said of a log whose samples have several epochs."""
    minimum, maximum = log.repeats
    if maximum < 2:
        return []
    number = f"{maximum:,}" if minimum == maximum else f"{minimum:,} to {maximum:,}"
    means = f"{log.path}: {number} repeats of a sample, of which the mean counts"
    return [f"{means} (what varies between runs: longdoc analyze repeats)"]


def points_factor(columns: Sequence[Floats]) -> float:
    """What values are multiplied by, so that they are points of 100: 100 for shares, else 1."""
    columns = [column for column in columns if len(column)]
    low, high = (min(map(np.min, columns)), max(map(np.max, columns))) if columns else (0, 0)
    return POINTS if low >= 0 and 0 < high <= SHARE else 1.0


def cluster_field(log: ScoreLog, cluster: str | None) -> str | None:
    """The field of the log's clusters: the one that was asked for, else the first that all samples have; or None."""
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
