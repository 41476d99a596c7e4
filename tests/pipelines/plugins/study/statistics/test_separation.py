import random

import pytest

from pipelines.plugins.study.statistics.separation import auc


def test_the_auc_is_the_share_of_pairs_in_order() -> None:
    assert auc([2, 3], [1, 2]) == (1 + 0.5 + 1 + 1) / 4
    assert auc([1], [1]) == 0.5
    assert auc([], [1]) is auc([1], []) is None


def test_the_auc_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    chance = random.Random(2)
    right, wrong = [chance.randint(2, 9) for _ in range(60)], [chance.randint(0, 7) for _ in range(80)]
    expected = metrics.roc_auc_score([1] * 60 + [0] * 80, right + wrong)
    assert auc(right, wrong) == pytest.approx(expected)
