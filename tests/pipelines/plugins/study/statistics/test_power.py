"""The formulas of the power analysis: textbook numbers, the design effect, and samples that are simulated."""

from math import sqrt

import numpy as np
import pytest

from benchmarks import power as simulated
from pipelines import metrics
from pipelines.plugins.study.statistics.power import (
    Spread,
    detectable,
    documents_needed,
    power,
    spread_of_difference,
    spread_of_score,
)
from pipelines.statistics.sample import Sample, units

ACCURACY = metrics.get("exact_match")


@pytest.mark.parametrize(
    ("effect", "target_power", "alpha", "needed"),
    [(0.2, 0.8, 0.05, 199), (0.5, 0.8, 0.05, 34), (0.8, 0.8, 0.05, 15), (0.5, 0.9, 0.05, 44), (0.5, 0.8, 0.01, 51)],
)
def test_the_sample_sizes_of_the_paired_t_test_are_those_of_the_textbooks(
    effect: float, target_power: float, alpha: float, needed: int
) -> None:
    assert documents_needed(1.0, effect, target_power, alpha) == needed
    reached, before = (power(effect, 1 / sqrt(one), one, alpha) for one in (needed, needed - 1))
    assert reached >= target_power > before


def test_the_power_is_that_of_the_noncentral_t_distribution() -> None:
    assert power(0.5, 1 / sqrt(20), 20, 0.05) == pytest.approx(0.564504, abs=1e-5)
    assert power(0.0, 1.0, 8, 0.05) == pytest.approx(0.05, abs=1e-5)
    assert power(2.8, 1.0, 9_999, 0.05) == pytest.approx(power(2.8, 1.0, 10_001, 0.05), abs=1e-4)
    assert power(1000.0, 1.0, 2, 0.05) > 0.98  # no NaN where the series of the distribution fails


def test_the_detectable_difference_has_the_power() -> None:
    spread = Spread.assumed([1] * 34, 1.0, 0.0)
    difference = detectable(spread, 0.8, 0.05)
    assert difference == pytest.approx(0.495028, abs=1e-5)
    assert power(difference, spread.standard_error, 34, 0.05) == pytest.approx(0.8, abs=1e-6)


def test_fewer_documents_than_p_needs_are_never_enough() -> None:
    assert documents_needed(1.0, 100.0, 0.8, 0.05) == 6  # 2^(1 - 5) is over 0.05
    assert documents_needed(1.0, 100.0, 0.8, 0.01) == 8


def test_the_design_effect_is_that_of_unequal_documents() -> None:
    even, uneven = Spread.assumed([10] * 8, 30.0, 0.2), Spread.assumed([4, 16] * 4, 30.0, 0.2)
    assert even.deff == pytest.approx(1 + 9 * 0.2)
    mean, cv = 10.0, 0.6
    assert uneven.deff == pytest.approx(1 + ((cv**2 + 1) * mean - 1) * 0.2)
    assert uneven.standard_error == pytest.approx(30 * sqrt(uneven.deff / 80))


def test_the_spread_of_values_is_the_clustered_variance_and_gives_back_the_icc() -> None:
    values, document_numbers = np.array([0.0, 2.0, 10.0, 12.0, 20.0, 22.0]), np.array([0, 0, 1, 1, 2, 2])
    spread = Spread.from_values(values, document_numbers)
    assert spread.standard_error**2 == pytest.approx(3 / 2 * (20**2 + 20**2) / 6**2)
    naive = values.var(ddof=1) / 6
    assert spread.deff == pytest.approx(spread.standard_error**2 / naive)
    assert spread.icc == pytest.approx(min(spread.deff - 1, 1.0))
    assert spread.sd == pytest.approx(values.std(ddof=1))


def test_documents_that_even_out_count_as_independent() -> None:
    spread = Spread.from_values(np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0]), np.array([0, 0, 1, 1, 2, 2]))
    assert (spread.deff, spread.icc) == (0.0, 0.0)
    assert spread.standard_error == pytest.approx(sqrt(1.2 / 6))


def test_more_questions_a_document_help_as_far_as_documents_differ() -> None:
    spread = Spread.assumed([5] * 20, 40.0, 0.1)
    assert spread.with_questions(1).variance == pytest.approx(1600)
    assert spread.with_questions(10_000).variance == pytest.approx(160, rel=0.01)
    low, high = spread.bounds(0.95)
    assert low.variance < spread.variance < high.variance
    assert high.variance == pytest.approx(spread.variance * 19 / 8.9065, rel=1e-4)  # the chi-squared of 19 degrees
    assert low.icc is not None and high.icc is not None and low.icc < 0.1 < high.icc


def pair(values: np.ndarray, document_numbers: np.ndarray) -> tuple[Sample, Sample]:
    resampled = units(len(values), document_numbers.astype(str).tolist())
    sides = (np.zeros(len(values)), values)
    a, b = (Sample(ACCURACY, [{"exact_match": one} for one in side.tolist()], resampled) for side in sides)
    return a, b


def test_the_standard_error_is_that_of_the_bootstrap_over_documents() -> None:
    random = np.random.default_rng(1)
    sizes = random.integers(2, 9, 60)
    document_numbers = np.repeat(np.arange(60), sizes)
    a, b = pair(
        np.repeat(random.normal(0, 10, 60), sizes) + random.normal(3, 20, len(document_numbers)), document_numbers
    )
    spread = spread_of_difference(a, b, "exact_match", 2000, 0)
    assert spread.standard_error == pytest.approx(b.resampled(2000, 0)["exact_match"].std(), rel=0.05)
    assert spread_of_score(b, "exact_match", 2000, 0) == spread


def test_a_score_that_is_no_mean_of_examples_has_the_variance_of_the_bootstrap() -> None:
    bleu = metrics.get("bleu-1")
    bleu.prepare()
    texts = ["a b c d", "a b x y", "a x y z", "x y z w", "a b c x", "b c d e"]
    examples = metrics.examples(texts, [["a b c d"]] * 6)
    rows = [bleu.statistics(text, example) for text, example in zip(texts, examples, strict=True)]
    sample = Sample(bleu, rows, units(6, list("112233")))
    spread = spread_of_score(sample, "bleu-1", 2000, 0)
    assert (spread.sd, spread.icc, spread.deff) == (None, None, None)
    assert spread.standard_error == pytest.approx(np.nanstd(sample.resampled(2000, 0)["bleu-1"]) * sqrt(3 / 2))
    with pytest.raises(ValueError, match="not known"):
        spread.with_questions(3)


def test_a_simulated_sample_of_the_planned_size_has_the_power_and_independence_promises_too_much() -> None:
    kind = simulated.KINDS[2]  # 30 questions a document, sd 40, icc 0.1, a difference of 5
    planned = documents_needed(Spread.assumed([30] * 2, 40, 0.1).variance, 5, 0.8, 0.05)
    independent = documents_needed(40.0**2, 5, 0.8, 0.05) // 30
    assert (planned, independent) == (68, 16)
    assert 80 - 3 * 4 < simulated.measured_power(kind, planned, 100) < 80 + 3 * 4  # the Monte Carlo error of 100 draws
    assert simulated.measured_power(kind, independent, 100) < 45


def test_a_plan_for_twelve_comparisons_reaches_the_power_after_holm_s_correction_and_one_for_a_single_does_not() -> (
    None
):
    kind = simulated.KINDS[0]  # 1 question a document: few rows
    alone, together = (documents_needed(40.0**2, 10, 0.8, 0.05 / count) for count in (1, 12))
    assert (alone, together) == (128, 224)
    assert simulated.family_power(kind, alone, 1, 12) < 80 - 10
    assert simulated.family_power(kind, together, 1, 12) >= 80 - 10


def test_the_bounds_of_the_sd_count_equal_questions_of_a_document_as_one() -> None:
    """Ten documents of 30 questions that are all alike say what ten questions say."""
    spread = Spread.assumed([30] * 10, 40.0, 1.0)
    low, high = spread.bounds(0.95)
    assert high.sd == pytest.approx(40 * sqrt(9 / 2.7004), rel=1e-4)  # the chi-squared of 9 degrees, not of 299
    assert low.sd == pytest.approx(40 * sqrt(9 / 19.0228), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", simulated.KINDS, ids=lambda kind: kind.name)
def test_every_kind_of_simulated_data_reaches_the_power(kind: simulated.Kind) -> None:
    _, _, _, _, deff, _, power_of_planned, _, power_of_naive, coverage = simulated.row(kind, 1000)
    assert float(power_of_planned) == pytest.approx(80, abs=4)
    assert deff == "1.00" or float(power_of_naive) < 60
    assert float(coverage) > 80
