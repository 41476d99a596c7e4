"""What is learned from judged units: logistic regression, or boosted trees after it; and which of the two ranks better.

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
        """Of each unit, so that a question weighs 1 and its evidence as much as the rest."""
        return np.asarray(np.where(self.relevant, 0.5 / self.relevant.sum(), 0.5 / (~self.relevant).sum()))


class LearnedRanking(ABC):
    """Logits of units; a subclass defines how they follow from features, and how they are kept."""

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
        """What `read` makes the same of."""


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
        """By `LOGISTIC_NAMES`."""
        values = (list(self.names), self.means, self.deviations, self.weights, self.bias)
        return dict(zip(LOGISTIC_NAMES, values, strict=True))


@dataclass(frozen=True, slots=True)
class TreesRanking(LearnedRanking):
    """Boosted trees over the features and those of the hops that the ranking `first` leads to."""

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
        """Those of the first ranking, and of the forest."""
        return {**self.first.arrays(), **{name: getattr(self.forest, name) for name in FOREST_NAMES}}


def read(folder: str, learner: str) -> LearnedRanking:
    """What is kept in a folder that was written by this learner. Raises `UserError`: broken, or another's."""
    if learner not in ("logistic", "trees"):
        raise UserError(f"{folder} names learner {learner!r}, which is neither logistic nor trees: train again")
    values = saved.load(folder, *LOGISTIC_NAMES, *(FOREST_NAMES if learner == "trees" else ()))
    first = LogisticRanking(*values[: len(LOGISTIC_NAMES)])
    if learner == "logistic":
        return first
    try:
        forest = Forest(*values[len(LOGISTIC_NAMES) :])
        forest.check(len(first.names) + len(HOP_NAMES), folder)
    except (TypeError, ValueError, AttributeError) as error:  # what should be an array is none
        raise UserError(f"{folder} holds no trees ({error}): train again") from None
    return TreesRanking(first, forest)


def learn(judged: Sequence[JudgedTable], names: Sequence[str], learner: Learner) -> LearnedRanking:
    """What a learner makes of judged tables whose features have these names."""
    first = _regression(judged, names)
    if learner == "logistic":
        return first
    tables = []
    for test_tables, training_tables in _folds(judged):
        fold_regression = _regression(training_tables, names) if training_tables else first
        tables += [
            (entry, _with_hops(entry.question, entry.table, entry.hops, _logits(fold_regression, entry)))
            for entry in test_tables
        ]
    entries = [entry for entry, _ in tables]
    table = np.concatenate([with_hops for _, with_hops in tables])
    return TreesRanking(first, fit_forest(table, _relevant(entries), _weights(entries)))


def better_learner(judged: Sequence[JudgedTable], names: Sequence[str]) -> Learner:
    """Which learner has the higher mean average precision on documents that it did not learn from.

    "logistic" for fewer than `FEWEST_DOCUMENTS` documents.
    """
    if len({entry.document for entry in judged}) < FEWEST_DOCUMENTS:
        return "logistic"
    precisions: dict[Learner, list[float]] = {"logistic": [], "trees": []}
    for test_tables, training_tables in _folds(judged):
        for learner, values in precisions.items():
            ranking = learn(training_tables, names, learner)
            values += [average_precision(entry.relevant, _logits(ranking, entry)) for entry in test_tables]
    return "trees" if np.mean(precisions["trees"]) > np.mean(precisions["logistic"]) else "logistic"


def calibration_of(judged: Sequence[JudgedTable], names: Sequence[str], learner: Learner) -> tuple[float, float] | None:
    """`Retriever.calibration`, from two halves of the documents, each ranked by what is learned from the other.

    None for fewer than four documents, or where the logits of units with evidence are not higher. (Platt 1999,
    "Probabilistic Outputs for Support Vector Machines".)
    """
    from sklearn.linear_model import LogisticRegression

    halves = list(_folds(judged, 2))
    if len({entry.document for entry in judged}) < 4:
        return None
    logits, relevant = [], []
    for test_tables, training_tables in halves:
        ranking = learn(training_tables, names, learner)
        logits += [_logits(ranking, entry) for entry in test_tables]
        relevant += [entry.relevant for entry in test_tables]
    classifier = LogisticRegression(C=1e6).fit(np.concatenate(logits)[:, None], np.concatenate(relevant))
    slope, intercept = float(classifier.coef_[0, 0]), float(classifier.intercept_[0])
    return (slope, intercept) if slope > 0 else None


def average_precision(relevant: npt.NDArray[np.bool_], logits: Logits) -> float:
    """The mean, over the relevant units, of the share of relevant ones down to each; ties by position."""
    ranked = relevant[np.argsort(-logits, kind="stable")]
    shares = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    return float(shares[ranked].mean())


def _logits(ranking: LearnedRanking, entry: JudgedTable) -> Logits:
    return ranking.logits(entry.question, entry.table, entry.hops)


def _with_hops(question: str, table: Scores, hops: HopFeatures, logits: Logits) -> Scores:
    return np.concatenate([table, hops.table(question, logits)], axis=1)


def _folds(judged: Sequence[JudgedTable], count: int = FOLDS) -> Iterator[tuple[list[JudgedTable], list[JudgedTable]]]:
    """Each fold's tables and all others, by document, drawn with a fixed seed."""
    documents = list(dict.fromkeys(entry.document for entry in judged))
    folds = np.random.default_rng(0).permutation(len(documents)) % count
    fold_of = dict(zip(documents, folds.tolist(), strict=True))
    for fold in sorted(set(fold_of.values())):
        test_tables = [entry for entry in judged if fold_of[entry.document] == fold]
        yield test_tables, [entry for entry in judged if fold_of[entry.document] != fold]


def _regression(judged: Sequence[JudgedTable], names: Sequence[str]) -> LogisticRanking:
    from sklearn.linear_model import LogisticRegression

    units, weights = np.concatenate([entry.table for entry in judged]).astype(np.float64), _weights(judged)
    means, deviations = units.mean(axis=0), units.std(axis=0)
    deviations[deviations < 1e-9] = 1.0
    classifier = LogisticRegression(C=STRENGTH, max_iter=1000)
    classifier.fit((units - means) / deviations, _relevant(judged), weights * len(weights) / weights.sum())
    return LogisticRanking(list(names), means, deviations, classifier.coef_[0], float(classifier.intercept_[0]))


def _relevant(judged: Sequence[JudgedTable]) -> npt.NDArray[np.bool_]:
    return np.concatenate([entry.relevant for entry in judged])


def _weights(judged: Sequence[JudgedTable]) -> npt.NDArray[np.float64]:
    return np.concatenate([entry.weights for entry in judged])
