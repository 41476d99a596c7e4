"""What rules score on calibration rows: by task, their mean, refusals, and what they read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from pipelines.evaluation._document_folds import NamedScores, named_scores
from pipelines.evaluation.routing.calibration_rows import CalibrationRow
from pipelines.statistics.sample import MeanRowAggregation
from pipelines.strategies.shared.route_rule import ReadingOn, RouteRule

MEAN, REFUSED_SHARE, COVERAGE, TOKENS, MORE_SHARE, WHOLE_SHARE, UNANSWERABLE_SHARE = (
    "mean", "refused rightly", "coverage", "tokens", "read more", "read whole", "unanswerable read whole"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RouteAggregation(MeanRowAggregation):
    """The scores of rows of numbers (`outcome`), for the bootstrap."""

    tasks: tuple[str, ...]

    def aggregate(self, rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
        """The mean of each task and over tasks, and the shares, 0–100; without rows nothing."""
        if not rows:
            return {}
        sums = {name: fsum(row[name] for row in rows) for name in rows[0]}
        scores = {
            task: sums[f"points of {task}"] / sums[f"rows of {task}"] for task in self.tasks if sums[f"rows of {task}"]
        }
        if len(scores) == len(self.tasks):
            scores[MEAN] = fsum(scores.values()) / len(scores)
        if sums["unanswerable"]:
            scores[REFUSED_SHARE] = 100 * sums["refused rightly"] / sums["unanswerable"]
            scores[UNANSWERABLE_SHARE] = 100 * sums["unanswerable read whole"] / sums["unanswerable"]
        scores[COVERAGE] = 100 * sums["answered"] / sums["rows"]
        scores[TOKENS] = 100 * sums["tokens"] / sums["whole tokens"]
        scores[MORE_SHARE] = 100 * sums["read more"] / sums["rows"]
        scores[WHOLE_SHARE] = 100 * sums["read whole"] / sums["rows"]
        return scores


def outcome(
    row: CalibrationRow, reading_on: ReadingOn | None, tasks: Sequence[str], has_retrieved: bool = True
) -> dict[str, float]:
    """The numbers of a row that is answered by this reading; `has_retrieved` where it was retrieved first."""
    reading = row.readings[reading_on] if reading_on else row.retrieved_reading
    values = {f"points of {task}": reading.score * (row.task == task) for task in tasks}
    return values | {
        **{f"rows of {task}": float(row.task == task) for task in tasks},
        "rows": 1.0,
        "unanswerable": float(row.is_unanswerable),
        "refused rightly": float(row.is_unanswerable and reading.is_refusal),
        "unanswerable read whole": float(row.is_unanswerable and reading_on == "whole"),
        "answered": float(not reading.is_refusal),
        "read more": float(reading_on == "more"),
        "read whole": float(reading_on == "whole"),
        "tokens": row.retrieved_reading.tokens * has_retrieved + (reading.tokens if reading_on else 0.0),
        "whole tokens": row.whole_reading.tokens,
    }


def route_scores(
    name: str, rows: Sequence[CalibrationRow], readings: Sequence[ReadingOn | None], has_retrieved: bool = True
) -> NamedScores:
    """The scores, by document, of what was decided for each row."""
    tasks = tuple(dict.fromkeys(row.task for row in rows))
    numbers = [outcome(row, reading, tasks, has_retrieved) for row, reading in zip(rows, readings, strict=True)]
    return named_scores(name, RouteAggregation(tasks), numbers, [row.document for row in rows])


def decisions(rule: RouteRule, rows: Sequence[CalibrationRow]) -> list[ReadingOn | None]:
    """What the rule reads further, for each row."""
    return [rule.reading_on(row.features) for row in rows]
