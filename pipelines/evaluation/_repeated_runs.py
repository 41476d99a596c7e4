"""The same run several times: how its scores vary, and how often one, or every one, of some runs is right."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.display import numbers
from pipelines.display.table import Column, Table
from pipelines.display.view import View
from pipelines.evaluation._repeats_table import RepeatsTable
from pipelines.evaluation.repeats import repeats
from pipelines.results.judge_record import THRESHOLD
from pipelines.results.result import Result
from pipelines.results.run_folders.run import finished_run
from pipelines.statistics.pass_rates import pass_all, pass_at

HUNDRED = 100.0


@dataclass(frozen=True, slots=True)
class PassRate:
    """pass@k and pass^k, 0–100, of a score that is right or wrong."""

    score: str
    k: int
    pass_at_k: float
    pass_all_k: float


@dataclass(frozen=True, slots=True)
class RepeatedRuns(View):
    """The `results` of runs that differ in their seed alone, with what varies between them.

    `pass_rates` are of the scores whose values are 0 or 100, for each k up to the number of runs.
    """

    results: tuple[Result, ...]
    variation: RepeatsTable
    pass_rates: Sequence[PassRate] = field(default_factory=tuple)

    def to_dict(self) -> dict[str, Any]:
        """The runs' folders, what varies between them, and the pass rates."""
        fields = {"folders": [str(result.folder) for result in self.results], "variation": self.variation.to_dict()}
        return fields | {
            "pass_rates": [
                {"score": rate.score, "k": rate.k, "pass_at_k": rate.pass_at_k, "pass_all_k": rate.pass_all_k}
                for rate in self.pass_rates
            ]
        }

    def tables(self) -> list[Table]:
        """The variation, and the pass rates where there are any."""
        columns = (
            Column("score", lambda rate: rate.score),
            Column("k", lambda rate: str(rate.k), "right"),
            Column("pass@k", lambda rate: numbers.score(rate.pass_at_k), "right"),
            Column("pass^k", lambda rate: numbers.score(rate.pass_all_k), "right"),
        )
        note = "pass@k: at least one of k runs is right; pass^k: all of them are"
        rates = [Table("of k runs", columns, self.pass_rates, (note,))] if self.pass_rates else []
        return [*self.variation.tables(), *rates]

    def lines_below(self) -> list[str]:
        """Where the runs are."""
        return [f"in {result.folder}" for result in self.results]


def repeated_runs(results: Sequence[Result]) -> RepeatedRuns:
    """What varies between finished runs of the same examples. Raises `UserError` for fewer than two."""
    folders = [Path(str(result.folder)) for result in results]
    return RepeatedRuns(tuple(results), repeats(folders), _pass_rates(folders))


def _pass_rates(folders: Sequence[Path]) -> list[PassRate]:
    """For each score that is right or wrong, and each k, over the examples that all runs have."""
    rates = []
    for name, by_example in _right_counts(folders).items():
        counts = list(by_example.values())
        for k in range(1, len(folders) + 1):
            values = (HUNDRED * rate(k, counts, len(folders)) for rate in (pass_at, pass_all))
            rates.append(PassRate(name, k, *values))
    return rates


def _right_counts(folders: Sequence[Path]) -> dict[str, dict[str, int]]:
    """By score that is 0 or 100 in all runs: how many runs have each example right."""
    runs = [_values(folder) for folder in folders]
    counts: dict[str, dict[str, int]] = {}
    for name in runs[0]:
        columns = [run[name] for run in runs if name in run]
        ids = [example for example in columns[0] if all(example in column for column in columns)]
        is_right_or_wrong = all(value in (0, HUNDRED) for column in columns for value in column.values())
        if len(columns) == len(runs) and ids and is_right_or_wrong:
            counts[name] = {example: sum(column[example] >= THRESHOLD for column in columns) for example in ids}
    return counts


def _values(folder: Path) -> dict[str, dict[str, float]]:
    """A run's scores by example."""
    run = finished_run(folder)
    return {
        name: {
            prediction.id: value for prediction, value in zip(run.predictions, values, strict=True) if value is not None
        }
        for name, values in run.example_scores.items()
    }
