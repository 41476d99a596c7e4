"""Checks of a power analysis's arguments: their ranges, and whether they apply to what is planned from."""

from typing import Any

from longdoc.errors import UserError
from pipelines.statistics.bootstrap import RESAMPLES


def check_numbers(
    detect: float | None, power: float, alpha: float, correlation: float | None, sd: float | None, icc: float | None
) -> None:
    """Raise `UserError` for a number out of its range."""
    if detect is not None and not 0 < detect <= 100:
        raise UserError(f"detect must be more than 0 points and at most 100, got {detect:g}: 3 is a usual difference")
    if not 0 < alpha < 0.5:
        raise UserError(f"alpha must be between 0 and 0.5, got {alpha:g}; 0.05 is usual")
    if not alpha < power < 1:
        raise UserError(f"power must be above alpha and below 1, got {power:g}; 0.8 is usual")
    if correlation is not None and not -1 <= correlation < 1:
        raise UserError(f"correlation must be from -1 to below 1, got {correlation:g}; 0.5 is assumed")
    if sd is not None and not 0 < sd <= 200:
        raise UserError(f"sd must be more than 0 points and at most 200, got {sd:g}")
    if icc is not None and not 0 <= icc <= 1:
        raise UserError(f"icc must be from 0 to 1, got {icc:g}")


def check_comparisons(comparisons: int, alpha: float) -> None:
    """Raise `UserError` for fewer than one, and for so many that no p can be significant."""
    if comparisons < 1:
        raise UserError(f"comparisons must be at least 1, got {comparisons}: how many differences are tested together")
    if alpha / comparisons < 1 / (RESAMPLES + 1):
        raise UserError(
            f"p is computed from {RESAMPLES:,} permutations, so with Holm's correction for {comparisons:,} comparisons"
            f" none can be below {alpha:g}: make {int(alpha * (RESAMPLES + 1)):,} or fewer, or take a larger alpha"
        )


def refuse(purpose: str, **arguments: Any) -> None:
    """Raise `UserError` for the first argument that is not None: it is for `purpose` alone."""
    if name := next((name for name, value in arguments.items() if value is not None), None):
        raise UserError(f"{name}= is for {purpose}: leave it out")
