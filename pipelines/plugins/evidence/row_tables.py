"""The rows of `pipelines.evidence` as tables: of scores, and of recall by place in the document."""

from collections.abc import Mapping, Sequence
from functools import partial

from longdoc.messages import counted
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Align, Column, Entry, Table
from pipelines.plugins.evidence.evidence_row import TENTHS, EvidenceRow
from pipelines.statistics.intervals import too_few_units

SETTINGS = ("budget", "chunker", "retriever")
FIRST = "evidence_recall"
TITLES = {"evidence_precision": "precision", "evidence_iou": "IoU"}
OPTIONAL_SCORES = ("answer_recall", "evidence_precision", "evidence_iou")


def scores_table(title: str, rows: Sequence[EvidenceRow]) -> Table:
    """The table of scores: a row for each way to select, with its settings before its scores."""
    names = list(dict.fromkeys(name for row in rows for name in row.scores))
    first = next(iter(names), FIRST)
    best = {budget: _best(rows, budget, first) for budget in dict.fromkeys(row.budget for row in rows)}
    varying, fixed = _settings(rows)
    columns = [*_setting_columns(varying), Column("words", lambda row: f"{row.words:,.0f}", "right")]
    for name in names:
        entry = partial(_entry, name, best if name == first else {})
        optional = name in OPTIONAL_SCORES and name != first
        columns.append(Column(TITLES.get(name, name), entry, "right", optional))
    caption = ", ".join([f"{title}: {_counts(rows[0])}", *fixed])
    return Table(caption, tuple(columns), rows, tuple(_notes(rows, names)))


def _setting_columns(names: Sequence[str]) -> list[Column]:
    sides: list[Align] = ["right" if name == "budget" else "left" for name in names]
    return [Column(name, partial(_setting, name), side) for name, side in zip(names, sides, strict=True)]


def _setting(name: str, row: EvidenceRow) -> str:
    return numbers.line(getattr(row, name))


def _settings(rows: Sequence[EvidenceRow]) -> tuple[list[str], list[str]]:
    """The settings that differ between the rows, and those that several rows share, as `chunker=sentences`."""
    shared = [name for name in SETTINGS if len(rows) > 1 and len({getattr(row, name) for row in rows}) == 1]
    fixed = [f"{name}={numbers.line(getattr(rows[0], name))}" for name in shared]
    return [name for name in SETTINGS if name not in shared], fixed


def _best(rows: Sequence[EvidenceRow], budget: str, name: str) -> EvidenceRow | None:
    """The best row of a budget; the oracle takes no part."""
    real = [row for row in rows if row.budget == budget and not row.oracle and name in row.scores]
    return max(real, key=lambda row: row.scores[name]) if len(real) > 1 else None


def _entry(name: str, best: Mapping[str, EvidenceRow | None], row: EvidenceRow) -> Entry:
    rank = int(best.get(row.budget) is row)
    return row.scores.entry(name, rank, has_bounds=name == FIRST) or numbers.MISSING


def _counts(row: EvidenceRow) -> str:
    evidence = "" if row.with_evidence == row.examples else f", {numbers.count(row.with_evidence)} with evidence"
    return f"{counted(row.examples, 'example')} over {counted(row.documents, 'document')}{evidence}"


def _notes(rows: Sequence[EvidenceRow], names: Sequence[str]) -> list[str]:
    lines = ["words: mean number of words shown for an example, headings counted"]
    if bounds := [row.scores.intervals[FIRST] for row in rows if FIRST in row.scores.intervals]:
        lines += interval_notes.method_notes(bounds[:1])
    elif FIRST in names and (reason := _no_interval_reason(rows[0])):
        lines.append(reason)
    if "answer_recall" in names and FIRST in names:
        lines.append("answer_recall: over the examples without evidence")
    if any(row.oracle for row in rows):
        lines.append(
            "oracle ranks by the answers, oracle:of=evidence by the evidence (the highest score with these chunks)"
        )
    return lines


def _no_interval_reason(row: EvidenceRow) -> str:
    """Why scores have no interval; empty where they could have one."""
    if row.documents > 1:
        return too_few_units(row.documents, "document")
    return too_few_units(row.with_evidence, "example")


def places_table(title: str, rows: Sequence[EvidenceRow]) -> Table:
    """The table of evidence recall in each tenth of the document."""
    varying, fixed = _settings(rows)
    tenths = [Column(f"{10 * (place + 1)}%", partial(_recall, place), "right") for place in range(TENTHS)]
    caption = ", ".join([f"{title}: evidence recall by place of the evidence in the document", *fixed])
    note = "10%: evidence in the first tenth of the document, and so on"
    return Table(caption, (*_setting_columns(varying), *tenths), rows, (note,))


def _recall(place: int, row: EvidenceRow) -> str:
    value = row.places[place]
    return numbers.MISSING if value is None else f"{value:.0f}"
