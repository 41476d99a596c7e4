"""The basis of a power analysis: how differences vary, by runs or as assumed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longdoc.errors import UserError
from pipelines.plugins.study.statistics.power import Spread, spread_of_difference, spread_of_score
from pipelines.statistics.bootstrap import RESAMPLES, SEED
from pipelines.statistics.sample import Floats, Sample

NO_VARIANCE = "nothing can be planned from a variance of zero: give runs that differ, or the data with sd="


@dataclass(frozen=True, slots=True)
class Basis:
    """How differences vary, with the sources of that knowledge."""

    task: str
    metric: str
    sources: tuple[str, ...]
    spread: Spread
    correlation: float | None = None
    measured: bool = True  # whether the variance is estimated from these documents
    notes: tuple[str, ...] = ()


def systems_basis(
    task: str,
    metric: str,
    sources: tuple[str, ...],
    samples: Sequence[Sample],
    values: Sequence[Floats | None],
    assumed: float,
) -> Basis:
    """The basis out of the samples of two systems, or of one, whose correlation with a second one is `assumed`.

    `values` has the scores of each system by example. Raises `UserError` for scores that do not vary.
    """
    if len(samples) == 1:
        spread = spread_of_score(samples[0], metric, RESAMPLES, SEED)
        problem = f"is the same in every document of {sources[0]}"
    else:
        a, b = samples
        spread = spread_of_difference(a, b, metric, RESAMPLES, SEED)
        problem = f"differs in no document between {' and '.join(sources)}"
    if not spread.variance:
        raise UserError(f"{metric} {problem}: {NO_VARIANCE}")
    if len(samples) == 2:
        return Basis(task, metric, sources, spread, _correlation(*values))
    note = (
        f"assumed: a second system whose scores correlate with these by {assumed:g} (correlation=); two runs "
        "show it (longdoc plan RUN RUN)"
    )
    return Basis(task, metric, sources, spread.scaled(2 * (1 - assumed)), assumed, notes=(note,))


def check_documents(documents: Sequence[str]) -> None:
    """Raise `UserError` for questions of one document: they do not show how documents differ."""
    distinct = set(documents)
    if len(documents) < 2:
        raise UserError("there is only one question, which does not show how differences vary: give more data")
    if len(distinct) == 1 and "" not in distinct:
        raise UserError(
            f"all {len(documents):,} questions are about one document, so they do not show how documents differ: "
            "give a run over several documents"
        )


def _correlation(scores_a: Floats | None, scores_b: Floats | None) -> float | None:
    """The correlation of two systems' scores on the same questions; None where it is not defined."""
    if scores_a is None or scores_b is None:
        return None
    present = ~(np.isnan(scores_a) | np.isnan(scores_b))
    scores_a, scores_b = scores_a[present], scores_b[present]
    if len(scores_a) < 3 or not np.ptp(scores_a) or not np.ptp(scores_b):
        return None
    return float(np.corrcoef(scores_a, scores_b)[0, 1])
