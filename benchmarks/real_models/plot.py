"""Plots of what was asked: score over prompt tokens, a line a way, closed book and whole documents across them.

Drawn are the ways that were asked at several budgets, on the questions that all their cells have.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.real_models.cells import SETS, UNBUDGETED, WAYS
from benchmarks.real_models.tables import CellAnswers
from pipelines.plugins.versus.lines import Line, Point
from pipelines.plugins.versus.plots import write
from pipelines.results.run_folders.schema import Kind

KINDS: dict[str, Kind] = {"closed book": "closed book", "whole": "whole"}


def plots(folder: Path, model: str, all_answers: Sequence[CellAnswers]) -> None:
    """Write a plot for each set that has ways with several budgets."""
    for name, question_set in SETS.items():
        answers = [one for one in all_answers if one.cell.set_name == name and one.cell.way in WAYS]
        at_budgets = Counter(one.cell.way for one in answers)
        drawn = [one for one in answers if at_budgets[one.cell.way] > 1 or one.cell.way in UNBUDGETED]
        if at_budgets and max(at_budgets.values()) > 1:
            shared = set.intersection(*(set(one.outputs) for one in drawn))
            lines = _lines([one.only(shared) for one in drawn])
            write(
                lines,
                f"{name}, {model}, {len(shared)} questions",
                question_set.metric,
                folder / f"{model}-{name}.svg".lower(),
            )


def _lines(all_answers: Sequence[CellAnswers]) -> list[Line]:
    lines = []
    for way in WAYS:
        points = sorted(
            (_point(answers) for answers in all_answers if answers.cell.way == way), key=lambda point: point.x or 0
        )
        if points:
            lines.append(Line(way, KINDS[way] if way in UNBUDGETED else "retrieval", points))
    return lines


def _point(answers: CellAnswers) -> Point:
    bounds = answers.bounds
    low, high = (bounds.low, bounds.high) if bounds else (None, None)
    return Point(answers.cell.way, str(answers.cell.budget or ""), answers.tokens, answers.score, low, high)
