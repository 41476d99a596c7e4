"""Units ranked by how likely they are to hold evidence, as logistic regression learned it from judged documents.

p(unit is evidence) = 1 / (1 + exp(-(w · x + b))), x being the unit's standardized features (`_unit_features`). Trained
by `longdoc train TASK --model evidence_ranker`; scikit-learn's `LogisticRegression`, kept by skops.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.allowed_code import named_in
from longdoc.errors import UserError
from longdoc.registry import describe, name_of
from models import saved
from retrievers import Index, JudgedDocument, Retriever, Scores, registry
from retrievers._members import Composite, CompositeIndex
from retrievers._unit_features import UnitFeatures, feature_names

LEXICAL = "bm25:heading=true,stop_words=english,stem=english"
SIGNALS = (LEXICAL, "dense:heading=true")
LEARNED = ("features", "means", "deviations", "weights", "bias")


@dataclass(frozen=True)
class EvidenceRanker(Composite):
    """Ranks units by the logit of being evidence, learned on the training split of a task.

    `model` is a folder that `longdoc train` made; `signals` and `chunker` are then those that it was trained with.
    `signals` are retrievers whose scores are among the features; `strength` is scikit-learn's `C`: larger fits
    the training split more closely. `weights` identifies what was learned; it is filled in from the folder. A blank
    question scores 0 everywhere. Raises `UserError`: no such folder, one that has changed, nothing learned yet.
    """

    model: str | None = None
    signals: tuple[Any, ...] | None = None
    chunker: str = ""
    strength: float = 1.0
    weights: str = ""
    _learned: list["_Learned"] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.strength < float("inf"):
            raise UserError(f"evidence_ranker: strength must be a positive number, got {self.strength}")
        if self.model is not None:
            self._load(self.model)
        members = tuple(registry.get(signal) for signal in (SIGNALS if self.signals is None else self.signals))
        if not members or any(member.query_source != "query" for member in members):
            raise UserError("evidence_ranker: signals are retrievers that are asked a question: signals=[bm25,dense]")
        object.__setattr__(self, "signals", members)  # so that a run's record names them in full

    def _load(self, folder: str) -> None:
        known = saved.described(folder, saved.RETRIEVER)
        if known is None or known["name"] != "evidence_ranker":
            raise UserError(
                f"{folder} holds no evidence_ranker: longdoc train TASK --model evidence_ranker --out {folder}"
            )
        digest = saved.identity(folder)["weights"]
        if self.weights not in ("", digest):
            raise UserError(f"{folder} was trained again since: it holds {digest}, and {self.weights} was asked for")
        self._learned.append(_Learned(*saved.load(folder, *LEARNED)))
        with named_in(known.file):
            given = known.get("signals") if self.signals is None else self.signals
            object.__setattr__(self, "signals", tuple(registry.get(signal) for signal in given or ()))
        object.__setattr__(self, "weights", digest)
        object.__setattr__(self, "chunker", self.chunker or known.get("chunker", ""))

    ranks_by_centroid = False

    @property
    def members(self) -> Sequence[Retriever]:
        """The signals."""
        return self.signals or ()

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index over the signals' indexes. Raises `UserError` before anything was learned."""
        if not self._learned:
            raise UserError(
                "evidence_ranker has to be trained: longdoc train TASK --model evidence_ranker --out FOLDER, then "
                "retriever=FOLDER"
            )
        names = feature_names([name_of(signal) for signal in self.signals or ()])
        if names != tuple(self._learned[0].features):
            raise UserError(f"{self.model} was trained with other signals: leave signals= out, or train it again")
        return _RankerIndex(self._indexes(chunks), UnitFeatures(chunks) if chunks else None, self._learned[0])

    def fit(self, documents: Iterable[JudgedDocument]) -> None:
        """Learn from judged documents. Raises `UserError` where no unit is evidence, or all are."""
        from sklearn.linear_model import LogisticRegression

        tables, judged = [], []
        for document in documents:
            indexes, features = self._indexes(document.chunks), UnitFeatures(document.chunks)
            rows = [index.scores(document.questions) for index in indexes]
            for number, question in enumerate(document.questions):
                tables.append(features.table(question, [row[number] for row in rows]))
                judged.append(document.relevant[number])
        if not tables or len(set(np.concatenate(judged).tolist())) < 2:
            raise UserError("evidence_ranker learns from questions whose evidence is in some units and not in others")
        table = np.concatenate(tables).astype(np.float64)
        means, deviations = table.mean(axis=0), table.std(axis=0)
        deviations[deviations < 1e-9] = 1.0
        classifier = LogisticRegression(C=self.strength, max_iter=1000)
        classifier.fit((table - means) / deviations, np.concatenate(judged))
        names = feature_names([name_of(signal) for signal in self.signals or ()])
        learned = _Learned(list(names), means, deviations, classifier.coef_[0], float(classifier.intercept_[0]))
        self._learned[:] = [learned]

    def save(self, folder: Path) -> None:
        """Keep what was learned in a folder that `retrievers.get` makes this retriever of."""
        (learned,) = self._learned
        saved.save(folder, {name: getattr(learned, name) for name in LEARNED})
        fields = {"signals": describe(self.signals), "chunker": self.chunker, "strength": self.strength}
        saved.describe(folder, {"name": "evidence_ranker", **fields}, saved.RETRIEVER)

    def _indexes(self, chunks: Sequence[Chunk]) -> list[Index]:
        return [signal.index(chunks) for signal in self.signals or ()]


@dataclass(frozen=True, slots=True)
class _Learned:
    """The features' names, means and deviations, and their weights."""

    features: list[str]
    means: npt.NDArray[np.float64]
    deviations: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    bias: float

    def logits(self, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Of each unit, by its features [units, features]."""
        return np.asarray((table - self.means) / self.deviations @ self.weights + self.bias)


class _RankerIndex(CompositeIndex):
    def __init__(self, signals: Sequence[Index], features: UnitFeatures | None, learned: _Learned) -> None:
        super().__init__("evidence_ranker", signals)
        self._features, self._learned = features, learned

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], logits."""
        rows = self.member_scores(queries)
        table = np.zeros(rows[0].shape, np.float32)
        for number, query in enumerate(queries):
            if self._features is not None and query.strip():
                features = self._features.table(query, [row[number] for row in rows])
                table[number] = self._learned.logits(features)
        return table
