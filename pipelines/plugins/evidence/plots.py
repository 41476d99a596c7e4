"""Evidence recall against the budget, or against the place of the evidence in the document."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines.display import numbers
from pipelines.display.plot_style import COLOURS, GREY, MARKERS, axes, words
from pipelines.plugins.evidence.evidence_row import TENTHS, EvidenceRow

LABEL = 40  # characters of a name in the legend
SIZE = (6.4, 3.6)  # inches
SCORE = "evidence_recall"
AGAINST = ("budget", "place")


def write(rows: Sequence[EvidenceRow], path: Path, title: str, against: str) -> None:
    """Draw a line for each way to select, the best first. Raises `UserError` where there is nothing to plot."""
    if against not in AGAINST:
        raise unknown("axis of a plot", against, AGAINST)
    lines = _by_budget(rows) if against == "budget" else _by_place(rows)
    if not lines:
        raise UserError("no row has evidence recall: nothing to plot")
    with axes(path, SIZE, title) as ax:
        ax.grid(axis="y")
        handles = [_draw(ax, number, points) for number, points in enumerate(lines.values())]
        _label(ax, against, rows)
        if len(lines) > 1:
            labels = [words(numbers.shortened(numbers.line(name), LABEL)) for name in lines][: len(COLOURS)]
            if (rest := len(lines) - len(labels)) > 0:
                labels.append(f"{rest} more")
            ax.figure.legend(handles[: len(labels)], labels, loc="outside right upper")


def _draw(ax: Any, number: int, points: Sequence[tuple[float, float]]) -> Any:
    x, y = zip(*points, strict=True)
    colour = COLOURS[number] if number < len(COLOURS) else GREY
    return ax.plot(x, y, color=colour, marker=MARKERS[number % len(MARKERS)], zorder=3 if colour != GREY else 1)[0]


def _label(ax: Any, against: str, rows: Sequence[EvidenceRow]) -> None:
    ax.set_ylabel("evidence recall")
    ax.set_ylim(0, 102)
    if against == "place":
        ax.set_xticks(range(1, TENTHS + 1), [str(position) for position in range(1, TENTHS + 1)])
        ax.set_xlabel(f"tenth of the document that the evidence is in (budget={max(rows, key=_budget).budget})")
        return
    budgets = sorted({_budget(row) for row in rows if _budget(row)})
    if len(budgets) > 2 and budgets[-1] >= 8 * budgets[0]:
        ax.set_xscale("log")
    ax.set_xticks(budgets, [f"{value:g}" for value in budgets])
    ax.minorticks_off()
    unit = next((unit for unit in ("token", "passage") if any(unit in row.budget for row in rows)), None)
    ax.set_xlabel(f"{unit}s selected" if unit else "words selected, at most")


def _by_budget(rows: Sequence[EvidenceRow]) -> dict[str, list[tuple[float, float]]]:
    """The points of each line, against the budget."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if SCORE in row.scores and _budget(row):
            lines.setdefault(_name(row, rows), []).append((_budget(row), row.scores[SCORE]))
    return dict(sorted(lines.items(), key=lambda line: -max(y for _, y in line[1])))


def _by_place(rows: Sequence[EvidenceRow]) -> dict[str, list[tuple[float, float]]]:
    """The points of each line, against the place in the document, at the largest budget."""
    largest_budget = max(map(_budget, rows), default=0)
    return {
        _name(row, rows): points
        for row in sorted(rows, key=lambda row: -row.scores.get(SCORE, 0))
        if _budget(row) == largest_budget
        and (points := [(float(position), value) for position, value in enumerate(row.places, 1) if value is not None])
    }


def _name(row: EvidenceRow, rows: Sequence[EvidenceRow]) -> str:
    """The name of a line: the retriever, and the chunker where several were typed."""
    is_alike = row.own_chunker or len({row.key[0] for row in rows}) == 1
    return row.retriever if is_alike else f"{row.retriever}, {row.key[0]}"


def _budget(row: EvidenceRow) -> float:
    """The number of words, tokens or passages of a row's budget."""
    return float(row.budget.split()[0].replace(",", ""))
