"""What a power analysis is planned from, and what is said of where that is known from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longdoc.errors import UserError
from pipelines.statistics.power import Spread
from pipelines.statistics.sample import Floats

ALIKE_TEXT = "a variance of zero plans nothing; give runs that differ, or the data with sd="


@dataclass(frozen=True, slots=True)
class Basis:
    """What is planned from: how differences vary, and where that is known from."""

    task: str
    metric: str
    sources: tuple[str, ...]
    spread: Spread
    correlation: float | None = None
    measured: bool = True  # the variance, from these documents
    notes: tuple[str, ...] = ()


def assumed_correlation_note(correlation: float) -> str:
    """What is assumed where one system's scores are known."""
    return (
        f"assumed: a second system whose scores correlate with these by {correlation:g} (correlation=); two runs, "
        "longdoc plan RUN RUN, say it"
    )


def check_documents(documents: Sequence[str]) -> None:
    """Raise `UserError` for questions of one document: they do not say how documents differ."""
    names = set(documents)
    if len(documents) < 2:
        raise UserError("there is one question: how differences vary is not known; give more data")
    if len(names) == 1 and "" not in names:
        raise UserError(
            f"all {len(documents):,} questions are about one document: how documents differ is not known, so nothing "
            "can be planned; give a run over several documents"
        )


def score_correlation(value: Floats | None, other: Floats | None) -> float | None:
    """Of the two systems' scores on the same question; None where it is not defined."""
    if value is None or other is None:
        return None
    known_value = ~(np.isnan(value) | np.isnan(other))
    value, other = value[known_value], other[known_value]
    if len(value) < 3 or not np.ptp(value) or not np.ptp(other):
        return None
    return float(np.corrcoef(value, other)[0, 1])
