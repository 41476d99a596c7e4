"""The rows of `pipelines.evidence` as tables: of scores, and of recall by place in the document."""

from collections.abc import Mapping, Sequence
from functools import partial

from longdoc.plurals import counted
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Align, Column, Entry, Table
from pipelines.results.evidence_tables.evidence_row import TENTHS, EvidenceRow
from pipelines.statistics import intervals

SETTINGS = ("select", "chunker", "retriever")
FIRST = "evidence_recall"
TITLES = {"evidence_precision": "precision", "evidence_iou": "IoU"}
SPARE_NAMES = ("answer_recall", "evidence_precision", "evidence_iou")


def scores_table(title: str, rows: Sequence[EvidenceRow]) -> Table:
    """The scores of each way to select, its settings before them."""
    names = list(dict.fromkeys(name for row in rows for name in row.scores))
    first = next(iter(names), FIRST)
    best = {select: _best(rows, select, first) for select in dict.fromkeys(row.select for row in rows)}
    varying_names, fixed = _settings(rows)
    columns = [*_setting_columns(varying_names), Column("words", lambda row: f"{row.words:,.0f}", "right")]
    for name in names:
        entry = partial(_entry, name, best if name == first else {})
        optional = name in SPARE_NAMES and name != first
        columns.append(Column(TITLES.get(name, name), entry, "right", optional))
    caption = ", ".join([f"{title}: {_counts(rows[0])}", *fixed])
    return Table(caption, tuple(columns), rows, tuple(_notes(rows, names)))


def _setting_columns(names: Sequence[str]) -> list[Column]:
    sides: list[Align] = ["right" if name == "select" else "left" for name in names]
    return [Column(name, partial(_setting, name), side) for name, side in zip(names, sides, strict=True)]


def _setting(name: str, row: EvidenceRow) -> str:
    return numbers.line(getattr(row, name))


def _settings(rows: Sequence[EvidenceRow]) -> tuple[list[str], list[str]]:
    """The settings that differ between the rows, and those that several rows share, as `chunker=sentences`."""
    alike_names = [name for name in SETTINGS if len(rows) > 1 and len({getattr(row, name) for row in rows}) == 1]
    fixed = [f"{name}={numbers.line(getattr(rows[0], name))}" for name in alike_names]
    return [name for name in SETTINGS if name not in alike_names], fixed


def _best(rows: Sequence[EvidenceRow], select: str, name: str) -> EvidenceRow | None:
    """The best row of a budget, oracles left aside."""
    real = [row for row in rows if row.select == select and not row.oracle and name in row.scores]
    return max(real, key=lambda row: row.scores[name]) if len(real) > 1 else None


def _entry(name: str, best: Mapping[str, EvidenceRow | None], row: EvidenceRow) -> Entry:
    rank = int(best.get(row.select) is row)
    return row.scores.entry(name, rank, has_bounds=name == FIRST) or numbers.MISSING


def _counts(row: EvidenceRow) -> str:
    having_text = "" if row.with_evidence == row.examples else f", {numbers.count(row.with_evidence)} with evidence"
    return f"{counted(row.examples, 'example')} over {counted(row.documents, 'document')}{having_text}"


def _notes(rows: Sequence[EvidenceRow], names: Sequence[str]) -> list[str]:
    lines = []
    if any("token" in row.select or "passage" in row.select for row in rows):
        lines.append("select: the budget; words: those really shown, headings counted, the mean over examples")
    else:
        lines.append("select: the budget in words; words: those really shown, headings counted, the mean over examples")
    if intervals := [row.scores.intervals[FIRST] for row in rows if FIRST in row.scores.intervals]:
        interval = intervals[0]
        level = f"{100 * interval.level:g}% bootstrap interval, {interval.resamples:,} resamples by {interval.unit}"
        lines.append(f"[low, high]: {level}")
        lines += [interval_notes.few_units_footnote(interval.unit)] if interval.few else []
    elif FIRST in names and (reason := _too_few_text(rows[0])):
        lines.append(reason)
    if "answer_recall" in names and FIRST in names:
        lines.append("answer_recall: of the examples without evidence")
    if any(row.oracle for row in rows):
        lines.append("oracle: knows the gold; oracle:of=evidence is the most that these chunks allow")
    return lines


def _too_few_text(row: EvidenceRow) -> str:
    """Why scores have no interval; empty where they could have one."""
    if row.documents > 1:
        return intervals.too_few_units(row.documents, "document")
    return intervals.too_few_units(row.with_evidence, "example")


def places_table(title: str, rows: Sequence[EvidenceRow]) -> Table:
    """Recall of the evidence in each tenth of the document."""
    varying_names, fixed = _settings(rows)
    tenths = [Column(f"{10 * (place + 1)}%", partial(_recall, place), "right") for place in range(TENTHS)]
    caption = ", ".join([f"{title}: evidence recall by place of the evidence in the document", *fixed])
    note = "10%: evidence in the first tenth of the document, and so on"
    return Table(caption, (*_setting_columns(varying_names), *tenths), rows, (note,))


def _recall(place: int, row: EvidenceRow) -> str:
    value = row.places[place]
    return numbers.MISSING if value is None else f"{value:.0f}"
