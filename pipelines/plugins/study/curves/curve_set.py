"""The curves of several systems over one axis, as tables and as a plot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal

from longdoc.plain_json import Record, plain_fields
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Column, Entry, Score, Table
from pipelines.display.view import RowsView
from pipelines.plugins.study.curves.axis import Bin
from pipelines.plugins.study.statistics.curves import Crossover, KeptBin
from pipelines.statistics.intervals import MINIMUM, Interval

Axis = Literal["length", "place"]
AXES = {"length": "the document's length in {unit}", "place": "the place of the evidence in the document"}
LONGEST_MARK = "+"  # the last bin: longer ones may keep it too
KIND_TEXTS = {"crossing": "", "ahead": "ahead in all bins", "behind": "ahead in none"}


@dataclass(frozen=True, slots=True)
class CurvePoint(Record):
    """The score, 0–100, in one bin, with its numbers of examples and documents (0 where these are not known).

    `interval` is None for too few documents; `no_interval` says so.
    """

    bin: int
    score: float
    examples: int = 0
    documents: int = 0
    interval: Interval | None = None
    no_interval: str = ""


@dataclass(frozen=True, slots=True)
class Curve(Record):
    """A system's points by number of the bin; bins without an example have none.

    `effective` is the last bin whose score is at least `CurveSet.share` of that in the first bin; None for a single
    bin, and for a first score of 0.
    """

    system: str
    points: Mapping[int, CurvePoint]
    effective: KeptBin | None = None


@dataclass(frozen=True, slots=True)
class SystemCrossover(Record):
    """From which length on `system` beats `over`; without a `crossover`, `reason` says why.

    `is_paired`: the difference is over the examples that both have; else between two means over different examples.
    """

    system: str
    over: str
    crossover: Crossover | None = None
    reason: str = ""
    is_paired: bool = True


@dataclass(frozen=True, slots=True)
class CurveSet(RowsView):
    """Curves of `metric` over the bins of an axis, "length" in `unit` or "place", 0–1 of the document.

    `middles` has the position of each bin's points: the geometric mean of its documents' lengths. `share` is how
    much of the first bin's score `Curve.effective` keeps.
    """

    task: str
    metric: str
    axis: Axis
    unit: str
    share: float
    bins: Sequence[Bin]
    middles: Sequence[float]
    curves: Sequence[Curve]
    crossovers: Sequence[SystemCrossover] = ()
    notes: Sequence[str] = field(default_factory=tuple)

    PLOT: ClassVar[str] = "pipelines.plugins.study.curves.plots:write"

    def to_dict(self) -> dict[str, Any]:
        """All fields, plain."""
        return plain_fields(self)

    def flat_rows(self) -> list[dict[str, Any]]:
        """The points of all curves, each as a mapping."""
        return [
            {"system": curve.system, "low": self.bins[number].low, "high": self.bins[number].high,
             "middle": self.middles[number], **point.to_dict()}
            for curve in self.curves for number, point in curve.points.items()
        ]  # fmt: skip

    def tables(self) -> list[Table]:
        """The scores by bin and system, then the effective lengths, then the crossovers."""
        caption = f"{self.task}: {self.metric} over {AXES[self.axis].format(unit=self.unit)}"
        by_system = len(self.curves) > len(self.bins)
        columns = self._system_columns() if by_system else self._bin_columns()
        table = Table(caption, tuple(columns), self.curves if by_system else range(len(self.bins)))
        summaries = [self._effective_table(), self._crossover_table()]
        tables = [table, *(summary for summary in summaries if summary is not None)]
        return [*tables[:-1], replace(tables[-1], notes=tuple(self._notes()))]

    def _bin_columns(self) -> list[Column]:
        """The columns of a table with a row for each bin: counts, and the scores of each system."""
        columns = [Column(self.unit or self.axis, self._bin_name, "right")]
        for name in ("documents", "examples"):
            if any(getattr(point, name) for curve in self.curves for point in curve.points.values()):
                columns.append(Column(name, partial(self._largest_count, name), "right"))
        return columns + [Column(curve.system, partial(_point_cell, curve), "right") for curve in self.curves]

    def _system_columns(self) -> list[Column]:
        """The columns of a table with a row for each system: the score in each bin."""

        def entry(number: int, curve: Curve) -> Entry:
            return _point_cell(curve, number)

        bins = range(len(self.bins))
        scores = [Column(self._bin_name(number), partial(entry, number), "right") for number in bins]
        return [Column("system", lambda curve: curve.system), *scores]

    def _bin_name(self, number: int) -> str:
        return self.bins[number].text(self.axis)

    def _largest_count(self, name: str, number: int) -> str:
        """The number of documents or examples in a bin, that of the system with the most."""
        counts = [getattr(curve.points[number], name) for curve in self.curves if number in curve.points]
        return numbers.count(max(counts, default=0))

    def _effective_table(self) -> Table | None:
        curves = [curve for curve in self.curves if curve.effective is not None]
        if not curves:
            return None
        columns = (
            Column("system", lambda curve: curve.system),
            Column("up to", lambda curve: self._marked_bin_name(curve.effective.bin), "right"),
            Column("interval", lambda curve: self._kept_interval(curve.effective), "right"),
        )
        caption = f"effective length: the longest bin with {100 * self.share:g}% of the first one's score or more"
        return Table(caption, columns, curves)

    def _kept_interval(self, last_bin: KeptBin) -> str:
        if last_bin.low is None or last_bin.high is None:
            return numbers.MISSING
        return numbers.between(self._marked_bin_name(last_bin.low), self._marked_bin_name(last_bin.high))

    def _marked_bin_name(self, number: int) -> str:
        """The bin's name, with a mark for the last bin."""
        return f"{self._bin_name(number)}{LONGEST_MARK * (number == len(self.bins) - 1)}"

    def _crossover_table(self) -> Table | None:
        rows = [row for row in self.crossovers if _is_shown(row)]
        if not rows:
            return None
        columns = (
            Column("system", lambda row: row.system),
            Column("beats", lambda row: row.over),
            Column(f"from {self.unit}", _crossover_text, "right"),
            Column("interval", lambda row: crossover_interval(row.crossover), "right"),
        )
        return Table("crossover: from which length on a system beats another", columns, rows)

    def _notes(self) -> list[str]:
        points = [point for curve in self.curves for point in curve.points.values()]
        notes = interval_notes.method_notes(point.interval for point in points if point.interval is not None)
        if any(point.no_interval for point in points):
            notes.append(f"bins of fewer than {MINIMUM} documents, or examples where there is one, have no interval")
        if any(LONGEST_MARK in self._marked_bin_name(curve.effective.bin) for curve in self.curves if curve.effective):
            notes.append(f"{LONGEST_MARK} the longest bin: the score may be kept beyond it")
        return [*notes, *self._crossover_notes(), *self.notes]

    def _crossover_notes(self) -> list[str]:
        notes = []
        if any(map(_is_shown, self.crossovers)):
            notes.append(
                "crossover: where the isotonic regression of the difference passes zero; ≤ and ≥: the interval is "
                "open at this end; open at both, these documents say nothing of it"
            )
        for kind, text in KIND_TEXTS.items():
            names = [
                row.system
                for row in self.crossovers
                if not _is_shown(row) and row.crossover and row.crossover.kind == kind
            ]
            notes += [f"{text}, against {self.crossovers[0].over}: {', '.join(names)}"] if names else []
        for row in self.crossovers:
            notes += [f"{row.system} against {row.over}: {row.reason}"] if row.reason else []
        unpaired = [row.system for row in self.crossovers if not row.is_paired]
        if unpaired:
            notes.append(f"{', '.join(unpaired)}: other examples, so the difference is that of two means")
        return notes


def _point_cell(curve: Curve, number: int) -> Entry:
    point = curve.points.get(number)
    return numbers.MISSING if point is None else Score.of(point.score, point.interval)


def _is_shown(row: SystemCrossover) -> bool:
    """Whether the table shows a crossover: one with a value, or with an interval alone."""
    return row.crossover is not None and (row.crossover.value is not None or row.crossover.low is not None)


def _crossover_text(row: SystemCrossover) -> str:
    assert row.crossover is not None  # `_is_shown`
    if row.crossover.value is None:
        return f"none: {KIND_TEXTS[row.crossover.kind]}"
    return f"about {numbers.count(row.crossover.value)}"


def crossover_interval(crossover: Crossover | None) -> str:
    """The interval of a crossover in words; a dash where there is none."""
    if crossover is None or crossover.low is None or crossover.high is None:
        return numbers.MISSING
    low, high = (numbers.count(value) for value in (crossover.low, crossover.high))
    if crossover.low >= crossover.last:
        return f"≥ {low}"
    if crossover.high <= crossover.first:
        return f"≤ {high}"
    low_text = f"≤ {low}" if crossover.low <= crossover.first else low
    high_text = f"≥ {high}" if crossover.high >= crossover.last else high
    return f"[{low_text}, {high_text}]"
