"""How rules, metrics and a judge agree with labels, as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from longdoc.messages import counted
from longdoc.plain_json import Record
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Column, Table
from pipelines.display.view import RowsView
from pipelines.results.judge_record import THRESHOLD
from pipelines.statistics import bootstrap, kappa
from pipelines.statistics.intervals import Interval
from pipelines.statistics.kappa import AGREE, CELLS, KAPPA, RaterAgreement

NO_VALUE = "(none)"  # the group of examples that have no value in the field


@dataclass(frozen=True, slots=True)
class RaterRow(Record):
    """How a rater's calls agree with others, over `examples` items that both call.

    - `positives` and `negatives`: the items that the others call right and wrong; `false_negatives` and
      `false_positives`: the positives that the rater calls wrong, and the negatives that it calls right.
    - `agree`: the share of equal calls, 0–100. `kappa`: Cohen's, -1 to 1, None where it is not defined, with its
      `interval`, None for too few documents.
    - `auc`: how well the rater's score separates what the others call right and wrong, 0–1, whatever the threshold;
      None for a rater that gives no score.
    - `by_group`: kappa by the value of a field of the examples.
    """

    rater: str
    examples: int
    positives: int
    negatives: int
    false_negatives: int
    false_positives: int
    agree: float
    kappa: float | None
    interval: Interval | None
    auc: float | None = None
    by_group: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelAgreement(RowsView):
    """How raters agree with the labels of `labelled` predictions by `systems`, and how a judge agrees with itself.

    `with_labels` has a row for each rule, score and judging; `with_itself` one for each further judging against the
    first. `group_by` is the field whose values are groups.
    """

    task: str
    systems: tuple[str, ...]
    labelled: int
    with_labels: tuple[RaterRow, ...]
    with_itself: tuple[RaterRow, ...] = ()
    group_by: str = ""
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All fields, plain."""
        rows = {name: [row.to_dict() for row in getattr(self, name)] for name in ("with_labels", "with_itself")}
        fields = {"task": self.task, "systems": list(self.systems), "labelled": self.labelled}
        return fields | rows | {"group_by": self.group_by, "warnings": list(self.warnings)}

    def flat_rows(self) -> list[dict[str, Any]]:
        """The rows of both tables, each as a mapping."""
        return [row.to_dict() for row in (*self.with_labels, *self.with_itself)]

    def tables(self) -> list[Table]:
        """The agreement with the labels, and that of the judge with itself."""
        title = (
            f"{self.task}: agreement with {counted(self.labelled, 'label')} of {counted(len(self.systems), 'system')}"
        )
        kappa_intervals = [row.interval for row in self.with_labels if row.interval is not None]
        notes = [
            f"kappa: Cohen's, a score of {THRESHOLD:g} or more being right, refusals being wrong; AUC: the share of "
            "pairs of a right and a wrong prediction in which the right one has the higher score",
            *interval_notes.method_notes(kappa_intervals),
            *(f"warning: {warning}" for warning in self.warnings),
        ]
        tables = [Table(title, tuple(self._columns("rule, score or judge")), self.with_labels, tuple(notes))]
        if self.with_itself:
            tables.append(Table("the judge and itself", tuple(self._columns("judged")), self.with_itself))
        return tables

    def _columns(self, rater_title: str) -> list[Column]:
        columns = [
            Column(rater_title, lambda row: row.rater),
            Column("predictions", lambda row: f"{row.examples:,}", "right"),
            Column(AGREE, lambda row: numbers.percent(row.agree), "right"),
            Column(KAPPA, lambda row: _kappa_cell(row.kappa, row.interval), "right"),
            Column("AUC", lambda row: numbers.MISSING if row.auc is None else f"{row.auc:.2f}", "right"),
            Column("right as wrong", lambda row: _share_cell(row.false_negatives, row.positives), "right"),
            Column("wrong as right", lambda row: _share_cell(row.false_positives, row.negatives), "right"),
        ]
        groups = dict.fromkeys(group for row in self.with_labels for group in row.by_group)
        return [
            *columns,
            *(Column(group, partial(_group_kappa_cell, group), "right", optional=True) for group in groups),
        ]


def _kappa_cell(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return numbers.MISSING
    bounds = "" if interval is None else " " + numbers.interval(interval.low, interval.high, interval.few)
    return f"{value:.2f}{bounds}"


def _group_kappa_cell(group: str, row: RaterRow) -> str:
    return _kappa_cell(row.by_group.get(group), None)


def _share_cell(count: int, total: int) -> str:
    return numbers.percent(100 * count / total if total else None)


def rater_row(
    rater: str,
    calls: Sequence[bool | None],
    other_calls: Sequence[bool | None],
    documents: Sequence[str],
    groups: Sequence[str] = (),
) -> RaterRow:
    """The row of a rater: how its calls agree with other calls of the same items.

    `documents` and `groups` have one entry for each item. Items without a call of both are left out.
    """
    items = [
        (first, second, number)
        for number, (first, second) in enumerate(zip(calls, other_calls, strict=True))
        if first is not None and second is not None
    ]
    rows = [kappa.row(first, second) for first, second, _ in items]
    scores = RaterAgreement().aggregate(rows)
    item_documents = [documents[number] for *_, number in items]
    interval = bootstrap.intervals(RaterAgreement(), rows, item_documents).get(KAPPA)
    both_right, first_only, second_only, none_right = (round(sum(row[cell] for row in rows)) for cell in CELLS)
    by_group = {
        group: _unscaled_kappa(
            RaterAgreement().aggregate(
                [row for row, (*_, number) in zip(rows, items, strict=True) if groups[number] == group]
            )
        )
        for group in sorted(set(groups))
    }
    return RaterRow(
        rater,
        examples=len(rows),
        positives=both_right + second_only,
        negatives=first_only + none_right,
        false_negatives=second_only,
        false_positives=first_only,
        agree=scores.get(AGREE, 0.0),
        kappa=_unscaled_kappa(scores),
        interval=None if interval is None else replace(interval, low=interval.low / 100, high=interval.high / 100),
        by_group=by_group,
    )


def _unscaled_kappa(scores: Mapping[str, float]) -> float | None:
    """Kappa from -1 to 1, which scores give in points of 100; None where it is not defined."""
    return scores[KAPPA] / 100 if KAPPA in scores else None
