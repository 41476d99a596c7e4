from itertools import combinations
from statistics import mean

import pytest

from pipelines.plugins.study.statistics.pass_rates import pass_all, pass_at


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pass_rates_are_means_over_all_draws_of_k_repeats(k: int) -> None:
    outcomes = [[1, 1, 0, 0, 1], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 1, 0]]
    counts = [sum(repeats) for repeats in outcomes]
    assert pass_at(k, counts, [5] * 4) == pytest.approx(
        mean(mean(any(draw) for draw in combinations(repeats, k)) for repeats in outcomes)
    )
    assert pass_all(k, counts, [5] * 4) == pytest.approx(
        mean(mean(all(draw) for draw in combinations(repeats, k)) for repeats in outcomes)
    )


def test_questions_may_have_unequal_numbers_of_repeats() -> None:
    assert pass_at(2, [1, 0], [2, 4]) == 0.5
    assert pass_all(2, [2, 2], [2, 4]) == pytest.approx((1 + 1 / 6) / 2)


@pytest.mark.parametrize("arguments", [(0, [1], [2]), (3, [1, 1], [3, 2]), (1, [], []), (1, [3], [2])])
def test_invalid_counts_are_refused(arguments: tuple[int, list[int], list[int]]) -> None:
    with pytest.raises(ValueError):
        pass_at(*arguments)
