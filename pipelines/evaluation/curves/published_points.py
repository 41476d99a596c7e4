"""Published points: a CSV file with a row for each system and a column for each length, without examples.

As OOLONG's and LongBench Pro's figures: the names of the columns of lengths are numbers of tokens, `8192` or `8k`. The
other columns up to the first of them name the system. Scores are 0–100; where none is above 1 they are shares, 0–1.
"""

import math
import re
from collections.abc import Mapping
from pathlib import Path

from longdoc.errors import UserError
from longdoc.folders import expanded
from pipelines.evaluation.curves.bin_scores import FEW_BINS
from pipelines.results.curves.axis import Bin, positive
from pipelines.results.curves.curve_set import Curve, CurvePoint, CurveSet, SystemCrossover
from pipelines.sources import tables
from pipelines.sources.tables import Row
from pipelines.statistics.curves import crossover, kept_bin

MOST_ROWS = 1_000
_LENGTH = re.compile(r"([0-9]{1,9})(k?)", re.IGNORECASE)
Points = Mapping[str, Mapping[float, float]]  # by system: its scores by length


def is_published_points(path: Path) -> bool:
    """Whether a file is a CSV table of which two columns or more are lengths."""
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    first = next(tables.Files((path,)).rows(), None)
    return first is not None and sum(_length(name) is not None for name in first.fields) > 1


def read_published_points(given_path: str | Path) -> Points:
    """The scores by system and length; empty cells have none. Raises `UserError` for cells that are no scores."""
    path = expanded(given_path)
    points: dict[str, dict[float, float]] = {}
    for number, row in enumerate(tables.Files((path,)).rows()):
        if number >= MOST_ROWS:
            raise UserError(f"{path} has more than {MOST_ROWS:,} rows: give a table with a row for each system")
        name, scores = _system(row), _scores(row)
        if name in points:
            raise UserError(f"{row.location}: the system {name!r} comes twice: leave one of the rows out")
        if scores:
            points[name] = scores
    if not points:
        raise UserError(f"{path} has no score: give a table with a row for each system")
    if all(score <= 1 for scores in points.values() for score in scores.values()):
        return {name: {length: 100 * score for length, score in scores.items()} for name, scores in points.items()}
    return points


def published_curves(path: str | Path, share: float) -> CurveSet:
    """The curves of published points, which have no examples and so no intervals. Raises `UserError`."""
    points = read_published_points(path)
    lengths = sorted({length for scores in points.values() for length in scores})
    numbers = {length: number for number, length in enumerate(lengths)}
    curves = [_curve(name, scores, numbers, share) for name, scores in points.items()]
    (first, first_scores), *other_systems = points.items()
    return CurveSet(
        task=Path(path).stem,
        metric="score",
        axis="length",
        unit="tokens",
        share=share,
        bins=[Bin(length, length) for length in lengths],
        middles=lengths,
        curves=curves,
        crossovers=[_crossover(name, scores, first, first_scores) for name, scores in other_systems],
        notes=["published points: without examples there are no intervals"],
    )


def _curve(name: str, scores: Mapping[float, float], numbers: Mapping[float, int], share: float) -> Curve:
    lengths = sorted(scores)
    points = {numbers[length]: CurvePoint(numbers[length], scores[length]) for length in lengths}
    last_bin = kept_bin([scores[length] for length in lengths], share) if len(lengths) > 1 else None
    return Curve(
        name, points, None if last_bin is None else last_bin.renumbered([numbers[length] for length in lengths])
    )


def _crossover(
    name: str, scores: Mapping[float, float], over: str, over_scores: Mapping[float, float]
) -> SystemCrossover:
    lengths = sorted(length for length in scores if length in over_scores)
    if len(lengths) < 2:
        return SystemCrossover(name, over, reason=FEW_BINS)
    differences = [scores[length] - over_scores[length] for length in lengths]
    return SystemCrossover(name, over, crossover(differences, [1.0] * len(lengths), positive(lengths)))


def _length(name: str) -> float | None:
    match = _LENGTH.fullmatch(name.strip())
    return None if match is None else float(match[1]) * (1000 if match[2] else 1)


def _system(row: Row) -> str:
    """The words of the cells before the first score. Numbers among them, as of a window, are no part of the name."""
    words: list[str] = []
    for column, cell in row.fields.items():
        if _length(column) is not None or len(words) == 2:
            break
        if isinstance(cell, str) and cell.strip() and not cell.strip().replace(".", "").isdigit():
            words.append(cell.strip())
    if not words:
        raise row.refusal("the first column must name the system")
    return ", ".join(words)


def _scores(row: Row) -> dict[float, float]:
    scores: dict[float, float] = {}
    for column, cell in row.fields.items():
        length = _length(column)
        if length is None or not str(cell if cell is not None else "").strip():
            continue
        if length in scores:
            raise UserError(f"{row.location}: two columns are of {length:,.0f} tokens, as {column!r}: leave one out")
        scores[length] = _score(row, column, cell)
    return scores


def _score(row: Row, column: str, cell: object) -> float:
    try:
        value = float(str(cell))
    except ValueError:
        value = math.nan
    if not 0 <= value <= 100:
        raise UserError(f"{row.location}: {column} must be a score, 0–100 or 0–1, or empty, got {str(cell)[:40]!r}")
    return value
