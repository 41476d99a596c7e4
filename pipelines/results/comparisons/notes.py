"""What is said below scores and differences whose intervals are missing or of few units, and of runs that are equal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pipelines.results.display import numbers

Unit = Literal["example", "document"]  # what a bootstrap resamples
LEAST = 5  # units below which there is no interval
ENOUGH = 10  # units below which an interval is marked as too narrow; both bounds by `benchmarks.coverage`
NO_INTERVAL = ": no interval; at least"  # in every note on scores without one
SAME = "= "  # before the name of the run whose requests and predictions a run repeats
SAME_REQUESTS = "both runs made the same requests: nothing is compared"


def too_few(units: int, unit: Unit) -> str:
    """Why a score of so many units has no interval; empty where it has one."""
    return "" if units >= LEAST else f"{units} {unit}{'s' * (units != 1)}{NO_INTERVAL} {LEAST} are needed"


def few_of(unit: Unit) -> str:
    """What to know of an interval of few units."""
    return f"fewer than {ENOUGH} {unit}s: such an interval is too narrow"


def few(unit: Unit) -> str:
    """The footnote on marked intervals."""
    return f"{numbers.FEW} {few_of(unit)}"


def without_interval(reasons: Iterable[Mapping[str, str]], names: Sequence[str]) -> list[str]:
    """Why scores have no interval, with their names unless it is so for all of `names`. `reasons` are by score."""
    scores_of: dict[str, dict[str, None]] = {}
    for of_run in reasons:
        for name in names:
            if name in of_run:
                scores_of.setdefault(of_run[name], {})[name] = None
    return [
        reason if len(scores) == len(names) else f"{', '.join(scores)}: {reason}"
        for reason, scores in scores_of.items()
    ]


def same_runs(same_as: Iterable[str | None]) -> list[str]:
    """One line where runs repeat others, which is no comparison."""
    if all(one is None for one in same_as):
        return []
    return [f"{SAME}RUN: the same requests and outputs as that run: not compared, nor counted in Holm's correction"]
