"""Learning to tell whether two paragraphs have one author: pairs from training examples, a logistic model, and its
threshold.

Pairs are sampled by (seed, document), as many of one author as of two where a document has both (as in Zhang et al.
2021). The threshold is the one with the best macro F1 of change and no change over neighbouring paragraphs, each
predicted by a model that was fitted without its document; it is moved to probability 0.5.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError
from models.authorship import Authorship
from models.requests import Compare, TrainingExample

FOLDS = 5
DIGITS = 5  # of a probability: what the log keeps of millions of them

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class SampledPairs:
    """Pairs of `texts` with `same` for one author; `sampled` to learn from, `neighbours` to set the threshold."""

    texts: tuple[str, ...]
    first: Ints
    second: Ints
    same: Bools
    document: Ints
    sampled: Bools
    neighbours: Bools


@dataclass(frozen=True, slots=True)
class Logistic:
    """The probability of one author: 1 / (1 + exp(-(features · weights + bias))), rounded."""

    weights: Floats
    bias: float

    def __call__(self, features: Floats) -> tuple[float, ...]:
        """For features [pairs, weights], one probability per pair."""
        return tuple(np.round(1 / (1 + np.exp(-self.logits(features))), DIGITS).tolist())

    def logits(self, features: Floats) -> Floats:
        """The logit of each pair: the input of the logistic function."""
        with np.errstate(over="ignore"):
            logits: Floats = np.clip(features @ self.weights + self.bias, -30, 30)
        return logits


def sampled_pairs(examples: Iterable[TrainingExample], pairs: int, seed: int) -> SampledPairs:
    """About `pairs` pairs of paragraphs from the training examples to learn from, and as many neighbours.

    Training examples whose reference has another number of paragraphs are left out. Raises `UserError` where the pairs
    have all one author, or all two.
    """
    documents = [
        (example.request.texts, truth)
        for example in examples
        if isinstance(example.request, Compare)
        and (truth := Authorship.of(example.references[0])).paragraphs == len(example.request.texts)
    ]
    document_pairs = max(2, pairs // max(len(documents), 1))
    places: dict[str, int] = {}
    flags_by_pair: dict[tuple[int, int, int], list[bool]] = {}
    for document, (texts, truth) in enumerate(documents):
        for i, j, is_same, neighbours in _sample(texts, truth, document_pairs, seed):
            key = (places.setdefault(texts[i], len(places)), places.setdefault(texts[j], len(places)), document)
            pair_flags = flags_by_pair.setdefault(key, [is_same, False, False])
            pair_flags[1 + neighbours] = True
    if len({pair_flags[0] for pair_flags in flags_by_pair.values()}) < 2:
        raise UserError(
            f"the {len(documents)} training documents with one label per paragraph have no two paragraphs by the same "
            "author, or no two by different ones: give data= a training split with documents by several authors"
        )
    keys = np.array(list(flags_by_pair), np.int64)
    flags = np.array(list(flags_by_pair.values()), np.bool_)
    return SampledPairs(tuple(places), keys[:, 0], keys[:, 1], flags[:, 0], keys[:, 2], flags[:, 1], flags[:, 2])


def _sample(
    texts: Sequence[str], truth: Authorship, document_pairs: int, seed: int
) -> Iterator[tuple[int, int, bool, bool]]:
    """(i, j, same author, sampled as neighbours) of each pair that is sampled from one document.

    Where only changes are known, stretches without one have one author, and stretches side by side two.
    """
    digest = hashlib.sha256("\n".join((str(seed), *texts)).encode("utf-8", "surrogatepass")).digest()
    random = np.random.default_rng(int.from_bytes(digest[:8]))
    n = len(texts)
    labels = np.array(truth.authors) if truth.authors is not None else np.cumsum([0, *truth.changes])
    positions = np.arange(1, n)
    for i in np.sort(random.permutation(positions)[:document_pairs]).tolist():
        yield i - 1, i, bool(labels[i - 1] == labels[i]), True
    if n * (n - 1) // 2 <= 4 * document_pairs:
        i, j = np.triu_indices(n, 1)
    else:
        i, j = np.sort(random.integers(0, n, (2, 4 * document_pairs)), axis=0)
    is_known = (i < j) & ((truth.authors is not None) | (np.abs(labels[j] - labels[i]) <= 1))
    i, j = np.unique(np.stack((i[is_known], j[is_known])), axis=1)
    is_same = labels[i] == labels[j]
    for same in (True, False):
        for index in random.permutation(np.flatnonzero(is_same == same))[: document_pairs // 2].tolist():
            yield int(i[index]), int(j[index]), same, False


def fitted(features: Floats, pairs: SampledPairs, regularization: float) -> Logistic:
    """A logistic model of one author, classes weighed alike, its threshold moved to 0.5.

    `regularization` is the inverse of scikit-learn's C. Features are put on one scale; the weights undo that.
    """
    model = _logistic(features[pairs.sampled], pairs.same[pairs.sampled], regularization)
    fold = np.unique(pairs.document, return_inverse=True)[1] % FOLDS
    logits, held_out_labels = [], []
    for test_fold in range(FOLDS):
        rest = pairs.sampled & (fold != test_fold)
        held_out = pairs.neighbours & (fold == test_fold)
        if held_out.any() and len(np.unique(pairs.same[rest])) == 2:
            logits.append(_logistic(features[rest], pairs.same[rest], regularization).logits(features[held_out]))
            held_out_labels.append(pairs.same[held_out])
    if not logits:
        return model
    return Logistic(model.weights, model.bias - best_threshold(np.concatenate(logits), np.concatenate(held_out_labels)))


def best_threshold(logits: Floats, labels: Bools) -> float:
    """The threshold on logits with the best macro F1 (true from the threshold on); of equals the one nearest 0.

    0 if all labels are equal.
    """
    if labels.all() or not labels.any():
        return 0.0
    order = np.argsort(logits, kind="stable")
    sorted_logits, sorted_labels = logits[order], labels[order]
    cuts = np.flatnonzero(np.diff(sorted_logits)) + 1  # how many are below
    if not len(cuts):
        return 0.0
    below = np.cumsum(~sorted_labels)[cuts - 1]
    negatives, positives = int((~sorted_labels).sum()), int(sorted_labels.sum())
    above = positives - (cuts - below)
    scores = 2 * below / (cuts + negatives) + 2 * above / (len(sorted_labels) - cuts + positives)
    middles = (sorted_logits[cuts - 1] + sorted_logits[cuts]) / 2
    best = np.flatnonzero(scores >= scores.max() - 1e-12)
    return float(middles[best[np.argmin(np.abs(middles[best]))]])


def _logistic(features: Floats, labels: Bools, regularization: float) -> Logistic:
    from sklearn.linear_model import LogisticRegression

    mean, spread = features.mean(axis=0, dtype=np.float64), features.std(axis=0, dtype=np.float64)
    spread[spread == 0] = 1
    model = LogisticRegression(C=1 / regularization, class_weight="balanced", max_iter=1_000)
    model.fit((features - mean) / spread, labels)
    weights = model.coef_[0] / spread
    return Logistic(weights, float(model.intercept_[0] - mean @ weights))


def cosines(vectors: Any, first: Ints, second: Ints) -> Floats:
    """Inner products of the rows of `vectors` (dense or sparse, of length one or zero) at `first` and `second`."""
    rows, at_row = np.unique(first, return_inverse=True)
    columns, at_column = np.unique(second, return_inverse=True)
    sparse = not isinstance(vectors, np.ndarray)
    if len(rows) * len(columns) > 20 * len(first):  # a table of all with all would be mostly idle
        product = vectors[first].multiply(vectors[second]) if sparse else vectors[first] * vectors[second]
        return np.asarray(product.sum(axis=1)).ravel()
    left, right = vectors[rows], vectors[columns]
    table = (left @ right.T).toarray() if sparse else left @ right.T
    products: Floats = table[at_row, at_column]
    return products
