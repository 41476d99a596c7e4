import random

import pytest

from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.kappa import RaterAgreement, kappa, row


def test_kappa_is_cohen_s_and_scikit_learn_s() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    chance = random.Random(0)
    first = [chance.random() < 0.6 for _ in range(200)]
    second = [call if chance.random() < 0.8 else not call for call in first]
    scores = RaterAgreement().aggregate([row(*pair) for pair in zip(first, second, strict=True)])
    assert scores["kappa"] == pytest.approx(100 * metrics.cohen_kappa_score(first, second))
    assert scores["agree"] == pytest.approx(100 * sum(map(bool.__eq__, first, second)) / 200)


@pytest.mark.parametrize(
    "cells, value",
    [((20, 5, 10, 15), 0.4), ((10, 0, 0, 10), 1), ((0, 10, 10, 0), -1), ((5, 5, 5, 5), 0)],
)
def test_known_tables_have_their_kappa(cells: tuple[int, int, int, int], value: float) -> None:
    assert kappa(*cells) == pytest.approx(value)


def test_kappa_is_not_defined_where_all_items_are_called_alike() -> None:
    assert kappa(10, 0, 0, 0) is kappa(0, 0, 0, 3) is kappa(0, 2, 0, 0) is kappa(0, 0, 0, 0) is None
    assert RaterAgreement().aggregate([row(True, True)]) == {"agree": 100}
    assert RaterAgreement().aggregate([]) == {}


def test_the_interval_of_kappa_resamples_documents() -> None:
    chance = random.Random(1)
    rows = [row(call := chance.random() < 0.5, call if chance.random() < 0.9 else not call) for _ in range(120)]
    by_item = intervals(RaterAgreement(), rows)
    by_document = intervals(RaterAgreement(), rows * 2, [str(number % 120) for number in range(240)])
    assert by_item["kappa"].low < RaterAgreement().aggregate(rows)["kappa"] < by_item["kappa"].high
    assert by_document["kappa"].units == 120
    assert by_document["kappa"].low == pytest.approx(by_item["kappa"].low, abs=0.5)
