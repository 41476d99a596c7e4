"""TF-IDF and cosine, fitted on the chunks of one document, as scikit-learn's TfidfVectorizer computes them.

With scikit-learn's defaults, idf(t) = ln((1 + N) / (1 + df)) + 1, weights are tf * idf, rows have Euclidean length 1.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, Retriever
from retrievers.shared.counts import SCIKIT_LEARN, SCIKIT_LEARN_WORDS, TERMS, Counts, WeightedIndex
from retrievers.shared.ranking import ByCentroid, FixedIndex
from retrievers.shared.texts import ranked_texts

if TYPE_CHECKING:
    from retrievers.shared.counts import Matrix

_WEIGHTING = frozenset({"norm", "sublinear_tf"})
_NO_ANALYSIS = _WEIGHTING | {"heading"}


@dataclass(frozen=True)
class Tfidf(Retriever):
    r"""Ranks chunks by the inner product of TF-IDF vectors (with `norm="l2"`: the cosine).

    The fields are options of TfidfVectorizer with its defaults and its meaning, save `token_pattern`: None takes the
    words of any script in lower case (`longdoc.words.terms`: letters, digits and their marks, and pairs of neighbours
    where no spaces are written; single letters that have capitals are left out). A number such as "7.3" or "12(3)" is a
    word beside its parts. "scikit-learn" is
    that library's default pattern, runs of `\w\w+`: the scores are then its own. Chunks without any of the words score
    0. The centroid is the mean of the chunks' vectors. With `heading`, which is no option of TfidfVectorizer, a chunk's
    label (its title, section path or speaker) is ranked with its text, unless the text begins with it.
    """

    lowercase: bool = True
    analyzer: Literal["word", "char", "char_wb"] = "word"
    stop_words: Literal["english"] | tuple[str, ...] | None = None
    token_pattern: str | None = None
    ngram_range: tuple[int, int] = (1, 1)
    norm: Literal["l1", "l2"] | None = "l2"
    sublinear_tf: bool = False
    heading: bool = False

    ranks_by_centroid = True

    def __post_init__(self) -> None:
        if self.token_pattern == "scikit-learn":  # noqa: S105  (no password)
            object.__setattr__(self, "token_pattern", SCIKIT_LEARN)  # so that a run's record has the pattern itself
        for name, problem in self._problems().items():
            raise UserError(f"tfidf: {name} must be {problem}, got {getattr(self, name)!r}")

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index fitted on these chunks alone; without any word in them, every score is 0."""
        texts = ranked_texts(chunks, self.heading)
        if texts and not (self.token_pattern in (None, SCIKIT_LEARN) and self._analysis().keys() <= {"token_pattern"}):
            return self._index_by_vectorizer(texts)
        counts = Counts.of(texts, SCIKIT_LEARN_WORDS if self.token_pattern else TERMS)
        idf = _idf(counts.matrix)
        weights = self._weights(counts.matrix, idf)
        return WeightedIndex(weights, lambda queries: self._weights(counts(queries), idf), lambda: _mean(weights))

    def _analysis(self) -> dict[str, Any]:
        """The options that differ from their defaults and decide how texts are split into words."""
        analysis_fields = [field for field in fields(self) if field.name not in _NO_ANALYSIS]
        options = [(field.name, getattr(self, field.name), field.default) for field in analysis_fields]
        return {name: value for name, value, default in options if value != default}

    def _index_by_vectorizer(self, texts: list[str]) -> Index:
        from sklearn.feature_extraction.text import TfidfVectorizer

        options = {name: getattr(self, name) for name in _WEIGHTING} | self._analysis()
        if isinstance(self.stop_words, tuple):
            options["stop_words"] = list(self.stop_words)
        if self.token_pattern is None and self.analyzer == "word":
            options |= {"tokenizer": TERMS, "token_pattern": None}
        vectorizer = TfidfVectorizer(**options)
        try:
            matrix = vectorizer.fit_transform(texts)
        except ValueError:  # options were checked before, so the only reason left is an empty vocabulary
            return _WordlessIndex(np.zeros(len(texts), np.float32))
        weights = matrix.T.tocsr()
        return WeightedIndex(weights, lambda queries: vectorizer.transform(queries).T, lambda: _mean(weights))

    def _weights(self, counts: "Matrix", idf: npt.NDArray[np.float64]) -> "Matrix":
        """Weights [words, texts] for counts [words, texts]."""
        weights = counts.copy()
        tf = 1.0 + np.log(counts.data) if self.sublinear_tf else counts.data
        weights.data = tf * np.repeat(idf, np.diff(counts.indptr))
        if self.norm == "l2":
            weights.data /= np.sqrt(np.bincount(weights.indices, np.square(weights.data)))[weights.indices]
        elif self.norm == "l1":
            weights.data /= np.bincount(weights.indices, np.abs(weights.data))[weights.indices]
        return weights

    def _problems(self) -> dict[str, str]:
        """Messages on invalid options, which say what each must be, by option name."""
        low, high = self.ngram_range
        rules = {
            "analyzer": ('"word", "char" or "char_wb"', self.analyzer not in ("word", "char", "char_wb")),
            "stop_words": ('"english", a list of words or null', self.stop_words not in ("english", None)
                           and not isinstance(self.stop_words, tuple)),
            "token_pattern": ("a regular expression with at most one group", self.token_pattern is not None
                              and not _is_pattern(self.token_pattern)),
            "lowercase": ("true where token_pattern is null (such words are in lower case)", not self.lowercase
                          and self.analyzer == "word" and self.token_pattern is None),
            "ngram_range": ("two numbers, 1 or more, the smaller first", not 1 <= low <= high),
            "norm": ('"l1", "l2" or null', self.norm not in ("l1", "l2", None)),
        }  # fmt: skip
        return {name: expected for name, (expected, is_wrong) in rules.items() if is_wrong}


class _WordlessIndex(FixedIndex, ByCentroid):
    """Chunks without any word: all score 0."""

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], zeros."""
        return np.zeros(len(self._row))


def _idf(counts: "Matrix") -> npt.NDArray[np.float64]:
    """float64 [words] for counts [words, texts], as if one more chunk held every word once."""
    document_frequencies = np.maximum(np.diff(counts.indptr), 1)
    return np.asarray(1.0 + np.log((counts.shape[1] + 1.0) / (document_frequencies + 1.0)))


def _mean(weights: "Matrix") -> npt.NDArray[np.float64]:
    """The mean vector [words] of weights [words, chunks]."""
    return np.asarray(weights.sum(axis=1), np.float64).ravel() / max(weights.shape[1], 1)


def _is_pattern(pattern: str) -> bool:
    try:
        return re.compile(pattern).groups <= 1
    except re.error:
        return False
