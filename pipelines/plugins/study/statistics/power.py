"""Power analysis of paired comparisons over documents with several questions each.

The difference of two systems' scores is tested over documents, as `paired` does: with J documents its standard error is
sqrt(V / J), and a two-sided t test with J - 1 degrees of freedom has power P(|T| > t(1 - alpha / 2)) for T of the
noncentral t distribution with noncentrality difference / standard error (Cohen 1988, chapter 2). V is the variance that
one document adds:

    V = sd² / m · deff        deff = 1 + (Σ m_j² / Σ m_j - 1) · icc

with the standard deviation `sd` of the differences of single examples, m questions a document on average, and the
intraclass correlation `icc`: how alike the differences of one document are. Σ m_j² / Σ m_j is (cv² + 1) · m, with the
coefficient of variation of the documents' sizes (Kish 1965, section 5.4; Eldridge, Ashby and Kerry 2006).

`deff` is estimated as the clustered variance of the mean difference over the variance that it would have if examples
were independent (Miller 2024, "Adding Error Bars to Evals", whose clustered and paired standard errors and sample size
formula these are, here with Student's t), and `icc` from it. A deff below 1 counts as 1. For scores that are no means
of examples, V is the number of documents times the bootstrap variance over documents; sd and icc are then not known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, log2, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pipelines.statistics.sample import Floats, Sample

Sizes: TypeAlias = Sequence[int] | npt.NDArray[np.int64]
LARGE = 10_000  # documents above which the normal distribution replaces Student's t
NODES = 200  # of the numerical integral
MAX_DOCUMENTS = 10**9  # the search stops here
TOLERANCE = 1e-9  # points: a standard deviation below this is rounding


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of differences: `variance` is what one document adds, in squared points.

    `documents` and `examples` are the numbers behind it, `size` is Σ m_j² / Σ m_j. `sd` and `icc` are of the
    differences of single examples, None for a score that is not a mean of examples. `deff` is the estimated design
    effect, which can be below 1.
    """

    documents: int
    examples: int
    size: float
    variance: float
    sd: float | None = None
    icc: float | None = None
    deff: float | None = None

    @classmethod
    def assumed(cls, sizes: Sizes, sd: float, icc: float) -> "Spread":
        """The spread for a given `sd` and `icc`; `sizes` are the numbers of questions of each document."""
        documents, examples, size = _sizes(sizes)
        deff = 1 + (size - 1) * icc
        return cls(documents, examples, size, sd**2 * documents / examples * deff, sd, icc, deff)

    @classmethod
    def from_values(cls, values: Floats, document_numbers: npt.NDArray[np.intp]) -> "Spread":
        """The spread of the examples' own differences; `document_numbers` has the document of each, numbered from 0."""
        documents, examples, size = _sizes(counts := np.bincount(document_numbers))
        deviations = values - values.mean()
        sums = np.bincount(document_numbers, deviations, len(counts))
        clustered = documents / (documents - 1) * float(sums @ sums) / examples**2
        naive = float(deviations @ deviations) / (examples - 1) / examples
        if naive < TOLERANCE**2:
            return cls(documents, examples, size, 0.0, 0.0)
        deff = clustered / naive
        icc = min(max((deff - 1) / (size - 1), 0.0), 1.0) if size > 1 else None
        variance = naive * documents * max(deff, 1.0)
        return cls(documents, examples, size, variance, sqrt(naive * examples), icc, deff)

    @property
    def questions(self) -> float:
        """The mean number of questions per document."""
        return self.examples / self.documents

    @property
    def standard_error(self) -> float:
        """The standard error of the mean difference over these documents."""
        return sqrt(self.variance / self.documents)

    def with_questions(self, questions: float) -> "Spread":
        """The spread with this number of questions per document. Raises `ValueError` if `sd` or `icc` is not known."""
        if self.sd is None or self.icc is None:
            raise ValueError("the spread of single questions is not known")
        variance = self.sd**2 / questions * (1 + (questions - 1) * self.icc)
        return replace(self, examples=round(questions * self.documents), size=questions, variance=variance)

    def scaled(self, factor: float) -> "Spread":
        """The spread with every variance multiplied by `factor`."""
        sd = None if self.sd is None else self.sd * sqrt(factor)
        return replace(self, variance=self.variance * factor, sd=sd)

    def bounds(self, level: float) -> tuple["Spread", "Spread"]:
        """Confidence bounds: the spreads with the least and the most variance.

        From chi-squared distributions: for `variance` with the number of documents, for `sd` with the effective number
        of examples, examples / deff (Kish 1965, section 8.2), but at least the documents. `icc` follows from both, so
        it has wide bounds for few documents.
        """
        low, high = (1 - level) / 2, (1 + level) / 2
        return self._bound(high), self._bound(low)

    def _bound(self, probability: float) -> "Spread":
        variance = self.variance * _variance_ratio(self.documents - 1, probability)
        if self.sd is None:
            return replace(self, variance=variance)
        effective_examples = max(self.examples / max(self.deff or 1.0, 1.0), self.documents)
        sd = self.sd * sqrt(_variance_ratio(effective_examples - 1, probability))
        if self.icc is None:
            return replace(self, variance=sd**2 / self.questions, sd=sd)
        deff = max(variance * self.questions / sd**2, 1.0)
        icc = min((deff - 1) / (self.size - 1), 1.0)
        return replace(self, variance=sd**2 / self.questions * deff, sd=sd, icc=icc)


def spread_of_difference(a: Sample, b: Sample, name: str, resamples: int, seed: int) -> Spread:
    """The spread of a score's difference between two samples of the same rows: by examples, else by the bootstrap."""
    values_a, values_b = a.example_values(name), b.example_values(name)
    if values_a is not None and values_b is not None and (np.isnan(values_a) == np.isnan(values_b)).all():
        return _examples_spread(values_b - values_a, a)
    return _resamples_spread(b.resampled(resamples, seed)[name] - a.resampled(resamples, seed)[name], a)


def spread_of_score(sample: Sample, name: str, resamples: int, seed: int) -> Spread:
    """The spread of a score itself between documents."""
    values = sample.example_values(name)
    if values is not None:
        return _examples_spread(values, sample)
    return _resamples_spread(sample.resampled(resamples, seed)[name], sample)


def power(difference: float, standard_error: float, documents: int, alpha: float) -> float:
    """The probability that the test is significant, given the true difference.

    It is the mean over quantiles of the estimated standard error, which needs no series of the noncentral t
    distribution: those fail for few documents and large differences.
    """
    from scipy import special

    noncentrality = abs(difference) / standard_error
    if documents > LARGE:
        critical_value = special.ndtri(1 - alpha / 2)
        return float(special.ndtr(noncentrality - critical_value) + special.ndtr(-noncentrality - critical_value))
    degrees_of_freedom = documents - 1
    probabilities, weights = _quadrature()
    critical_values = special.stdtrit(degrees_of_freedom, 1 - alpha / 2) * np.sqrt(
        2 * special.gammaincinv(degrees_of_freedom / 2, probabilities) / degrees_of_freedom
    )
    return float(
        weights @ (special.ndtr(noncentrality - critical_values) + special.ndtr(-noncentrality - critical_values))
    )


def detectable(spread: Spread, target: float, alpha: float) -> float:
    """The least difference that these documents show with power `target`."""
    from scipy import optimize

    error, upper = spread.standard_error, 1.0
    while power(upper * error, error, spread.documents, alpha) < target:
        upper *= 2
    effect_size = optimize.brentq(
        lambda effect: power(effect * error, error, spread.documents, alpha) - target, 0.0, upper, xtol=1e-9
    )
    return float(effect_size * error)


def least_documents(alpha: float) -> int:
    """The least number of documents with which an exchange of whole documents (`paired`) can give a p below alpha."""
    return ceil(1 - log2(alpha) + TOLERANCE)


def documents_needed(variance: float, difference: float, target: float, alpha: float) -> int:
    """The least number of documents that show a difference with power `target`."""

    def has_power(documents: int) -> bool:
        return power(difference, sqrt(variance / documents), documents, alpha) >= target

    if has_power(minimum := least_documents(alpha)):
        return minimum
    high = minimum
    while not has_power(high) and high < MAX_DOCUMENTS:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if has_power(middle) else (middle, high)
    return high


def _variance_ratio(degrees_of_freedom: float, probability: float) -> float:
    """The ratio of a variance to the quantile of its estimate at `probability`."""
    from scipy import special

    return float(degrees_of_freedom / special.chdtri(degrees_of_freedom, 1 - probability))


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Nodes and weights for a mean over 0 to 1 (Gauss and Legendre)."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2


def _sizes(sizes: Sizes) -> tuple[int, int, float]:
    """The number of documents, of examples, and Σ m_j² / Σ m_j."""
    counts = np.asarray(sizes, float)
    return len(counts), int(counts.sum()), float((counts**2).sum() / counts.sum())


def _examples_spread(values: Floats, sample: Sample) -> Spread:
    present = ~np.isnan(values)
    return Spread.from_values(values[present], np.unique(sample.units.of_row[present], return_inverse=True)[1])


def _resamples_spread(resampled: Floats, sample: Sample) -> Spread:
    """The spread from the bootstrap variance, which is (n - 1) / n of the unbiased one."""
    documents, examples, size = _sizes(np.bincount(sample.units.of_row))
    variance = float(np.nanvar(resampled)) * documents**2 / (documents - 1)
    return Spread(documents, examples, size, variance if variance > TOLERANCE**2 else 0.0)
