"""Variance components of a score by method of moments: documents, questions, runs, and the residual.

A score is modelled as mean + one random effect for each factor's level + a residual, factors crossed or nested, with
any number of values in a cell. Henderson's method 1 (Henderson 1953; Searle, Casella and McCulloch 1992, chapter 5)
sets the uncorrected sums of squares of each factor equal to their expectations,

    T_g = Σ_l y_l.² / n_l,      E T_g = N μ² + Σ_f c_gf σ_f² + L_g σ²,      c_gf = Σ_l Σ_m n_lm² / n_l

where n_lm is the number of values of level l of factor g and level m of factor f, n_l and y_l. number and sum of level
l's, L_g the number of its levels; likewise for the sum of all squares and that of the mean. These are as many linear
equations as unknowns. An estimate below 0 counts as 0: chance, or a component that is not there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from pipelines.statistics.sample import Floats

Labels = npt.NDArray[np.intp]
RESIDUAL = "residual"


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """The variance of each factor's effects, by name, and of the residual.

    `shares` are their weights in the variance of the mean over all values, which is Σ variance · share.
    """

    variances: Mapping[str, float]
    shares: Mapping[str, float]

    def sd(self, name: str) -> float:
        """The standard deviation of a factor's effects."""
        return sqrt(self.variances[name])

    @property
    def standard_error(self) -> float:
        """The standard error of the mean over all values, if every factor's levels were drawn anew."""
        return sqrt(sum(variance * self.shares[name] for name, variance in self.variances.items()))


def variance_components(values: Floats, factors: Mapping[str, Labels]) -> VarianceComponents:
    """The variance components of values; `factors` has the level of each value, as numbers from 0.

    Raises `ValueError` for factors that these values do not separate, such as questions asked once and the residual.
    """
    names = list(factors)
    levels = [np.unique(factors[name], return_inverse=True)[1] for name in names]
    deviations = values - values.mean()  # any constant: μ² is an unknown as well
    count = len(values)
    single_group = np.zeros(count, np.intp)
    groupings = [single_group, *levels, np.arange(count)]
    sums_of_squares = [_sum_of_squares(deviations, grouping) for grouping in groupings]
    equations = [
        [count, *(_coefficient(grouping, factor) for factor in levels), int(grouping.max()) + 1]
        for grouping in groupings
    ]
    matrix = np.array(equations, float) / count
    if np.linalg.matrix_rank(matrix) < len(matrix):
        raise ValueError(f"{', '.join(names)} and the residual cannot be told apart")
    _, *variances = np.linalg.solve(matrix, np.array(sums_of_squares) / count).tolist()
    shares = [_coefficient(single_group, factor) / count for factor in levels]
    keys = [*names, RESIDUAL]
    return VarianceComponents(
        {name: max(0.0, variance) for name, variance in zip(keys, variances, strict=True)},
        dict(zip(keys, [*shares, 1 / count], strict=True)),
    )


def _sum_of_squares(values: Floats, grouping: Labels) -> float:
    counts = np.bincount(grouping)
    return float((np.bincount(grouping, values) ** 2 / counts).sum())


def _coefficient(grouping: Labels, factor: Labels) -> float:
    """Σ_l Σ_m n_lm² / n_l, of levels l of the grouping and m of the factor."""
    cells: Any = grouping * (int(factor.max()) + 1) + factor
    cell_numbers, counts = np.unique(cells, return_counts=True)
    sizes = np.bincount(grouping)
    return float((counts.astype(float) ** 2 / sizes[cell_numbers // (int(factor.max()) + 1)]).sum())
