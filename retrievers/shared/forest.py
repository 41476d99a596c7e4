"""Boosted regression trees as arrays: what scikit-learn's GradientBoostingClassifier learned, kept without pickle.

f(x) = base + sum over trees of the value of the leaf that x falls in (Friedman 2001, "Greedy Function Approximation: A
Gradient Boosting Machine", Algorithm 1); a node sends x left where x[column] <= threshold. The arrays are those of
`estimators_[i].tree_`, which is public; the histogram variant keeps its trees private.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError

if TYPE_CHECKING:
    from sklearn.ensemble import GradientBoostingClassifier

FOREST_NAMES = ("roots", "columns", "thresholds", "left", "right", "values", "base")
TREES = 200
ROWS_PER_TREE = 20_000  # more do not rank better, and take longer
SETTINGS: dict[str, Any] = {
    "n_estimators": TREES, "max_depth": 3, "learning_rate": 0.05, "max_features": "sqrt", "min_samples_leaf": 20,
    "init": "zero", "random_state": 0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees one after another: `roots` [trees] are numbers of nodes, the other arrays [nodes].

    `left` and `right` are the numbers of a node's children, at a leaf its own. `columns` are those of the
    table, and `values` is what a leaf adds.
    """

    roots: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    thresholds: npt.NDArray[np.float64]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    base: float

    def predict(self, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """float64 [rows], the sum of the trees for float32 [rows, features]."""
        nodes = np.tile(self.roots, (len(table), 1))
        rows = np.arange(len(table))[:, None]
        while True:
            is_left = table[rows, self.columns[nodes]] <= self.thresholds[nodes]
            children = np.where(is_left, self.left[nodes], self.right[nodes])
            if np.array_equal(children, nodes):
                return np.asarray(self.base + self.values[nodes].sum(axis=1))
            nodes = children

    def check(self, columns: int, place: str) -> None:
        """Raise `UserError`, naming `place`, unless the arrays are trees over a table with this many columns."""
        count = len(self.columns)
        arrays = (self.thresholds, self.left, self.right, self.values)
        is_sound = count > 0 and all(len(array) == count for array in arrays) and self._is_sound(columns)
        if not is_sound:
            raise UserError(f"{place} does not hold valid trees over {columns} features; train it again")

    def _is_sound(self, columns: int) -> bool:
        count = len(self.columns)
        numbers = np.arange(count)
        is_leaf = (self.left == numbers) & (self.right == numbers)
        is_inner = (self.left > numbers) & (self.right > numbers)  # so no path goes in a circle
        limits = ((self.roots, count), (self.left, count), (self.right, count), (self.columns, columns))
        return (
            bool(np.all(is_leaf | is_inner))
            and all(bool(np.all((array >= 0) & (array < limit))) for array, limit in limits)
            and all(bool(np.isfinite(array).all()) for array in (self.thresholds, self.values, self.base))
        )


def fit_forest(
    table: npt.NDArray[np.float32], relevant: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64]
) -> Forest:
    """Boosted trees for the log odds of `relevant` [rows], by the logistic loss. The same rows give the same trees."""
    from sklearn.ensemble import GradientBoostingClassifier

    classifier = GradientBoostingClassifier(**SETTINGS, subsample=min(0.5, ROWS_PER_TREE / len(table)))
    classifier.fit(table, relevant, weights * len(weights) / weights.sum())
    return forest_of(classifier)


def forest_of(classifier: "GradientBoostingClassifier") -> Forest:
    """The trees of a classifier of two classes that began at zero (`init="zero"`)."""
    trees = [estimator.tree_ for estimator in classifier.estimators_[:, 0]]
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
    numbers = np.arange(sum(tree.node_count for tree in trees))
    is_leaf = np.concatenate([tree.children_left for tree in trees]) < 0

    def child(side: str) -> npt.NDArray[np.int64]:
        children = np.concatenate([getattr(tree, side) + root for tree, root in zip(trees, roots, strict=True)])
        return np.where(is_leaf, numbers, children).astype(np.int64)

    return Forest(
        roots.astype(np.int64),
        np.where(is_leaf, 0, np.concatenate([tree.feature for tree in trees])).astype(np.int64),
        np.where(is_leaf, 0.0, np.concatenate([tree.threshold for tree in trees])),
        child("children_left"),
        child("children_right"),
        np.where(is_leaf, classifier.learning_rate * np.concatenate([tree.value[:, 0, 0] for tree in trees]), 0.0),
        0.0,
    )
