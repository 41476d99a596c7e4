from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

from longdoc.errors import UserError
from retrievers.shared.forest import SETTINGS, Forest, fit_forest, forest_of

# x0 <= 0.5: 1.0; else x1 <= 2.0: 2.0, else 4.0; and a tree that is one leaf of 0.25
FOREST = Forest(
    roots=np.array([0, 5]),
    columns=np.array([0, 0, 1, 0, 0, 0]),
    thresholds=np.array([0.5, 0, 2.0, 0, 0, 0]),
    left=np.array([1, 1, 3, 3, 4, 5]),
    right=np.array([2, 1, 4, 3, 4, 5]),
    values=np.array([0, 1.0, 0, 2.0, 4.0, 0.25]),
    base=-1.0,
)


def table(count):
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(count, 6)).astype(np.float32)
    return rows, (rows[:, 0] * rows[:, 1] + 0.3 * draw.normal(size=count) > 0.2)


def test_a_row_falls_to_a_leaf_of_each_tree_and_their_values_are_added():
    rows = np.array([[0.5, 9], [0.6, 2], [0.6, 2.1]], np.float32)
    assert FOREST.predict(rows).tolist() == [0.25, 1.25, 3.25]


def test_no_rows_have_no_scores():
    assert FOREST.predict(np.zeros((0, 2), np.float32)).shape == (0,)


@pytest.mark.parametrize("settings", [SETTINGS, {**SETTINGS, "max_depth": 6, "min_samples_leaf": 1, "subsample": 0.5}])
def test_scores_are_the_library_s_own(settings):
    rows, relevant = table(500)
    classifier = GradientBoostingClassifier(**settings).fit(rows, relevant)
    unseen = np.random.default_rng(1).normal(size=(300, 6)).astype(np.float32)
    assert np.abs(forest_of(classifier).predict(unseen) - classifier.decision_function(unseen)).max() < 1e-9


def test_the_same_rows_give_the_same_trees():
    rows, relevant = table(400)
    forests = [fit_forest(rows, relevant, np.ones(400)) for _ in range(2)]
    assert np.array_equal(forests[0].thresholds, forests[1].thresholds)
    assert np.array_equal(forests[0].predict(rows), forests[1].predict(rows))


def test_trees_learn_classes_that_no_line_separates():
    rows, relevant = table(2000)
    unseen, expected = (part[1000:] for part in table(2000))
    forest = fit_forest(rows[:1000], relevant[:1000], np.ones(1000))
    assert np.mean((forest.predict(unseen) > 0) == expected) > 0.8


def test_valid_trees_are_accepted():
    FOREST.check(2, "a folder")


@pytest.mark.parametrize(
    "fields",
    [
        {"left": np.array([0, 1, 3, 3, 4, 5])},  # a node that is its own child on one side: a circle
        {"right": np.array([2, 1, 0, 3, 4, 5])},
        {"right": np.array([2, 1, 6, 3, 4, 5])},
        {"columns": np.array([0, 0, 2, 0, 0, 0])},
        {"columns": np.array([0, 0, -1, 0, 0, 0])},
        {"roots": np.array([0, 6])},
        {"values": np.array([0, 1.0, 0, 2.0, np.nan, 0.25])},
        {"thresholds": np.array([0.5, 0, 2.0])},
        {"base": float("inf")},
    ],
)
def test_invalid_trees_are_refused_before_they_are_used(fields):
    with pytest.raises(UserError, match="a folder does not hold valid trees over 2 features; train it again"):
        replace(FOREST, **fields).check(2, "a folder")
