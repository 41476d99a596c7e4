"""Which requests go into one call of a reader."""

import pytest

from pipelines.engine.inference.batches import by_length


@pytest.mark.parametrize(
    ("budget", "batches"),
    [
        (20, [[9, 8], [5, 5, 3, 2], [2]]),  # 2 * 9, 4 * 5, and a fifth would make 25
        (18, [[9, 8], [5, 5, 3], [2, 2]]),
        (17, [[9], [8, 5], [5, 3, 2], [2]]),
        (1, [[9], [8], [5], [5], [3], [2], [2]]),
        (None, [[9, 8, 5], [5, 3, 2], [2]]),
    ],
)
def test_a_batch_has_at_most_the_tokens_of_the_budget_with_its_padding(
    budget: int | None, batches: list[list[int]]
) -> None:
    assert list(by_length([9, 8, 5, 5, 3, 2, 2], lambda tokens: tokens, budget, 3)) == batches
