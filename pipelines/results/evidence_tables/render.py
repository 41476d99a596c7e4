"""The rows of `pipelines.evidence` as tables, CSV and Markdown."""

from collections.abc import Sequence
from dataclasses import replace

from longdoc.plurals import counted
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Entry, Table
from pipelines.results.evidence_tables.evidence_table import TENTHS, EvidenceRow, EvidenceTable
from pipelines.results.reports import csv, markdown
from pipelines.statistics import intervals

SETTINGS = ("select", "chunker", "retriever")
FIRST = "evidence_recall"
TITLES = {"evidence_precision": "precision", "evidence_iou": "IoU"}
SPARE_NAMES = ("answer_recall", "evidence_precision", "evidence_iou")


def tables(table: EvidenceTable, places: bool) -> list[Table]:
    """A table for each task, then the means; with `places` each followed by its recall by place in the document."""
    tables: list[Table] = []
    blocks = [(f"{task}, {split}", table.of_task(task)) for task, split in table.splits.items()]
    if table.means:
        blocks.append((table.means[0].task, table.means))
    for title, rows in blocks:
        tables.append(_scores(title, rows))
        if places:
            tables.append(_places(title, rows))
    below = [*(f"warning: {numbers.line(text)}" for text in table.warnings)]
    below += [f"in {table.folder}"] if table.folder else []
    return [*tables[:-1], replace(tables[-1], notes=(*tables[-1].notes, *below))]


def csv_text(table: EvidenceTable) -> str:
    """One line for each row, in full precision."""
    return csv.rows_csv(table.flat())


def markdown_text(table: EvidenceTable) -> str:
    """The tables one after the other."""
    return "\n".join(markdown.table_markdown(table) for table in tables(table, places=False))


def _scores(title: str, rows: Sequence[EvidenceRow]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row.scores))
    first = next(iter(names), FIRST)
    best = {select: _best(rows, select, first) for select in dict.fromkeys(row.select for row in rows)}
    varying_names, fixed = _settings(rows)
    entries: list[tuple[Entry, ...]] = []
    for row in rows:
        settings = [numbers.line(getattr(row, name)) for name in varying_names]
        scores = [_entry(row, name, name == first and row is best[row.select]) for name in names]
        entries.append((*settings, f"{row.words:,.0f}", *scores))
    columns = (*varying_names, "words", *(TITLES.get(name, name) for name in names))
    position = len(varying_names) + 1
    return Table(
        ", ".join([f"{title}: {_counts(rows[0])}", *fixed]),
        columns,
        tuple(entries),
        tuple(_notes(rows, names)),
        _right(columns),
        frozenset(position + names.index(name) for name in SPARE_NAMES if name in names and name != first),
    )


def _settings(rows: Sequence[EvidenceRow]) -> tuple[list[str], list[str]]:
    """The settings that differ between the rows, and those that several rows share, as `chunker=sentences`."""
    alike_names = [name for name in SETTINGS if len(rows) > 1 and len({getattr(row, name) for row in rows}) == 1]
    fixed = [f"{name}={numbers.line(getattr(rows[0], name))}" for name in alike_names]
    return [name for name in SETTINGS if name not in alike_names], fixed


def _right(columns: Sequence[str]) -> frozenset[int]:
    """The columns of numbers."""
    return frozenset(position for position, name in enumerate(columns) if name not in ("chunker", "retriever"))


def _best(rows: Sequence[EvidenceRow], select: str, name: str) -> EvidenceRow | None:
    """The best row of a budget, oracles left aside."""
    real = [row for row in rows if row.select == select and not row.oracle and name in row.scores]
    return max(real, key=lambda row: row.scores[name]) if len(real) > 1 else None


def _entry(row: EvidenceRow, name: str, best: bool) -> Entry:
    return row.scores.entry(name, int(best), has_bounds=name == FIRST) or numbers.MISSING


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


def _places(title: str, rows: Sequence[EvidenceRow]) -> Table:
    varying_names, fixed = _settings(rows)
    columns = (*varying_names, *(f"{10 * position}%" for position in range(1, TENTHS + 1)))
    entries = tuple(
        (
            *(numbers.line(getattr(row, name)) for name in varying_names),
            *(numbers.MISSING if value is None else f"{value:.0f}" for value in row.places),
        )
        for row in rows
    )
    return Table(
        ", ".join([f"{title}: evidence recall by place of the evidence in the document", *fixed]),
        columns,
        entries,
        ("10%: evidence in the first tenth of the document, and so on",),
        _right(columns),
    )
