"""Learns to rank judged units, by logistic regression or by boosted trees, and chooses the better of the two.

The trees see the same features as the regression, and what its ranking tells of each unit (`hop_features`). That
ranking is made, for the documents that the trees learn from, by regressions that did not see these documents (stacking,
Wolpert 1992, "Stacked Generalization").
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError
from models import saved
from retrievers._contract import Scores
from retrievers.shared.forest import FOREST_NAMES, Forest, fit_forest
from retrievers.shared.hop_features import HOP_NAMES, HopFeatures

Logits = npt.NDArray[np.float64]
Learner = Literal["logistic", "trees"]

FOLDS = 5
FEWEST_DOCUMENTS = 12  # with fewer, trees learn the documents by heart
STRENGTH = 0.01  # scikit-learn's C of the regressions: larger fits the training split more closely
LOGISTIC_NAMES = ("features", "means", "deviations", "weights", "bias")


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """The features [units, features] of a question's units, and which of them are evidence."""

    document: str
    question: str
    table: Scores
    relevant: npt.NDArray[np.bool_]
    hops: HopFeatures

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The training weight of each unit: a question weighs 1, its evidence half of that."""
        return np.asarray(np.where(self.relevant, 0.5 / self.relevant.sum(), 0.5 / (~self.relevant).sum()))


class LearnedRanking(ABC):
    """A trained ranking: a subclass computes logits from features, and gives its arrays for saving."""

    learner: Learner

    @property
    @abstractmethod
    def features(self) -> tuple[str, ...]:
        """The names of the features that it was learned from."""

    @abstractmethod
    def logits(self, question: str, table: Scores, hops: HopFeatures) -> Logits:
        """float64 [units], by their features [units, features]."""

    @abstractmethod
    def arrays(self) -> Mapping[str, Any]:
        """The arrays by name, from which `read` restores the ranking."""


@dataclass(frozen=True, slots=True)
class LogisticRanking(LearnedRanking):
    """p = 1 / (1 + exp(-(w · x + b))), x being the features less their `means`, over their `deviations`."""

    names: Sequence[str]
    means: npt.NDArray[np.float64]
    deviations: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    bias: float
    learner = "logistic"

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(self.names)

    def logits(self, question: str, table: Scores, hops: HopFeatures) -> Logits:
        """w · x + b."""
        return np.asarray((table - self.means) / self.deviations @ self.weights + self.bias)

    def arrays(self) -> Mapping[str, Any]:
        """The arrays by `LOGISTIC_NAMES`."""
        values = (list(self.names), self.means, self.deviations, self.weights, self.bias)
        return dict(zip(LOGISTIC_NAMES, values, strict=True))


@dataclass(frozen=True, slots=True)
class TreesRanking(LearnedRanking):
    """Boosted trees over the features, and over hop features from the ranking `first`."""

    first: LogisticRanking
    forest: Forest
    learner = "trees"

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features before the first ranking."""
        return self.first.features

    def logits(self, question: str, table: Scores, hops: HopFeatures) -> Logits:
        """The sum of the trees."""
        first_logits = self.first.logits(question, table, hops)
        return self.forest.predict(_with_hops(question, table, hops, first_logits))

    def arrays(self) -> Mapping[str, Any]:
        """The arrays of the first ranking and of the forest, by name."""
        return {**self.first.arrays(), **{name: getattr(self.forest, name) for name in FOREST_NAMES}}


def read(folder: str, learner: str) -> LearnedRanking:
    """Load the ranking that this learner saved in a folder. Raises `UserError` for damaged or other files."""
    if learner not in ("logistic", "trees"):
        raise UserError(f"{folder}: learner must be logistic or trees, got {learner!r}; train it again")
    arrays = saved.load(folder, *LOGISTIC_NAMES, *(FOREST_NAMES if learner == "trees" else ()))
    first = LogisticRanking(*arrays[: len(LOGISTIC_NAMES)])
    if learner == "logistic":
        return first
    try:
        forest = Forest(*arrays[len(LOGISTIC_NAMES) :])
        forest.check(len(first.names) + len(HOP_NAMES), folder)
    except (TypeError, ValueError, AttributeError) as error:  # not arrays
        raise UserError(f"{folder} does not hold valid trees ({error}); train it again") from None
    return TreesRanking(first, forest)


def learn(judged: Sequence[JudgedTable], feature_names: Sequence[str], learner: Learner) -> LearnedRanking:
    """Train a ranking on judged tables with these features."""
    first = _regression(judged, feature_names)
    if learner == "logistic":
        return first
    tables = []
    for test_tables, training_tables in _folds(judged):
        fold_regression = _regression(training_tables, feature_names) if training_tables else first
        tables += [
            (entry, _with_hops(entry.question, entry.table, entry.hops, _logits(fold_regression, entry)))
            for entry in test_tables
        ]
    test_entries = [entry for entry, _ in tables]
    table = np.concatenate([with_hops for _, with_hops in tables])
    return TreesRanking(first, fit_forest(table, _relevant(test_entries), _weights(test_entries)))


def better_learner(judged: Sequence[JudgedTable], feature_names: Sequence[str]) -> Learner:
    """The learner with the higher mean average precision on held-out documents.

    "logistic" for fewer than `FEWEST_DOCUMENTS` documents.
    """
    if len({entry.document for entry in judged}) < FEWEST_DOCUMENTS:
        return "logistic"
    precisions: dict[Learner, list[float]] = {"logistic": [], "trees": []}
    for test_tables, training_tables in _folds(judged):
        for learner, scores in precisions.items():
            ranking = learn(training_tables, feature_names, learner)
            scores += [average_precision(entry.relevant, _logits(ranking, entry)) for entry in test_tables]
    return "trees" if np.mean(precisions["trees"]) > np.mean(precisions["logistic"]) else "logistic"


def average_precision(relevant: npt.NDArray[np.bool_], logits: Logits) -> float:
    """Average precision: the mean of the precisions at the ranks of relevant units; ties by position."""
    ranked = relevant[np.argsort(-logits, kind="stable")]
    shares = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    return float(shares[ranked].mean())


def _logits(ranking: LearnedRanking, entry: JudgedTable) -> Logits:
    return ranking.logits(entry.question, entry.table, entry.hops)


def _with_hops(question: str, table: Scores, hops: HopFeatures, logits: Logits) -> Scores:
    return np.concatenate([table, hops.table(question, logits)], axis=1)


def _folds(judged: Sequence[JudgedTable], count: int = FOLDS) -> Iterator[tuple[list[JudgedTable], list[JudgedTable]]]:
    """For each fold, its test tables and its training tables, split by document with a fixed seed."""
    documents = list(dict.fromkeys(entry.document for entry in judged))
    folds = np.random.default_rng(0).permutation(len(documents)) % count
    fold_of = dict(zip(documents, folds.tolist(), strict=True))
    for fold in sorted(set(fold_of.values())):
        test_tables = [entry for entry in judged if fold_of[entry.document] == fold]
        yield test_tables, [entry for entry in judged if fold_of[entry.document] != fold]


def _regression(judged: Sequence[JudgedTable], feature_names: Sequence[str]) -> LogisticRanking:
    from sklearn.linear_model import LogisticRegression

    units, weights = np.concatenate([entry.table for entry in judged]).astype(np.float64), _weights(judged)
    means, deviations = units.mean(axis=0), units.std(axis=0)
    deviations[deviations < 1e-9] = 1.0
    classifier = LogisticRegression(C=STRENGTH, max_iter=1000)
    classifier.fit((units - means) / deviations, _relevant(judged), weights * len(weights) / weights.sum())
    return LogisticRanking(list(feature_names), means, deviations, classifier.coef_[0], float(classifier.intercept_[0]))


def _relevant(judged: Sequence[JudgedTable]) -> npt.NDArray[np.bool_]:
    return np.concatenate([entry.relevant for entry in judged])


def _weights(judged: Sequence[JudgedTable]) -> npt.NDArray[np.float64]:
    return np.concatenate([entry.weights for entry in judged])
