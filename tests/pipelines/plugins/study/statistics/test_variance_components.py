"""Variance components by method of moments: the balanced case by the book, unbalanced ones by simulation."""

import numpy as np
import pytest

from pipelines.plugins.study.statistics.variance_components import variance_components


def test_balanced_values_give_the_estimates_of_the_analysis_of_variance() -> None:
    values = np.array([[7.0, 9, 8], [4, 5, 6], [1, 3, 5], [9, 9, 12]])
    rows, columns = np.divmod(np.arange(12), 3)
    components = variance_components(values.ravel(), {"question": rows, "run": columns})
    effects_of_rows, effects_of_columns = values.mean(1) - values.mean(), values.mean(0) - values.mean()
    residuals = values - values.mean() - effects_of_rows[:, None] - effects_of_columns
    mean_squares = [3 * (effects_of_rows**2).sum() / 3, 4 * (effects_of_columns**2).sum() / 2, (residuals**2).sum() / 6]
    assert components.variances["residual"] == pytest.approx(mean_squares[2])
    assert components.variances["question"] == pytest.approx((mean_squares[0] - mean_squares[2]) / 3)
    assert components.variances["run"] == pytest.approx((mean_squares[1] - mean_squares[2]) / 4)
    assert components.shares == pytest.approx({"question": 1 / 4, "run": 1 / 3, "residual": 1 / 12})


def test_a_simulation_of_unequal_documents_and_repeats_is_recovered() -> None:
    """30 documents of 2 to 9 questions, 6 runs of which a fifth of the values are missing; 300 times."""
    draw = np.random.default_rng(5)
    sds = {"document": 12.0, "question": 8.0, "run": 4.0, "residual": 10.0}
    sizes = np.arange(30) % 8 + 2
    question_documents = np.repeat(np.arange(30), sizes)
    estimates, means, errors = [], [], []
    for _ in range(300):
        questions, runs = (part.ravel() for part in np.indices((len(question_documents), 6)))
        present = draw.random(len(questions)) < 0.8
        questions, runs = questions[present], runs[present]
        documents = question_documents[questions]
        values = 50 + draw.normal(0, sds["document"], 30)[documents]
        values += draw.normal(0, sds["question"], len(question_documents))[questions]
        values += draw.normal(0, sds["run"], 6)[runs] + draw.normal(0, sds["residual"], len(runs))
        components = variance_components(values, {"question": questions, "run": runs, "document": documents})
        estimates.append([components.variances[name] for name in sds])
        means.append(values.mean())
        errors.append(components.standard_error**2)
    for name, estimate in zip(sds, np.mean(estimates, 0), strict=True):
        assert estimate == pytest.approx(sds[name] ** 2, rel=0.1), name
    assert np.mean(errors) == pytest.approx(np.var(means), rel=0.15)


def test_an_absent_component_is_zero_and_inseparable_components_are_an_error() -> None:
    rows, columns = np.divmod(np.arange(12), 3)
    equal = variance_components(np.repeat([1.0, 2, 3, 4], 3), {"question": rows, "run": columns})
    assert equal.variances["run"] == pytest.approx(0, abs=1e-12)
    assert equal.variances["residual"] == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="cannot be told apart"):
        variance_components(np.arange(4.0), {"question": np.arange(4), "run": np.zeros(4, int)})
