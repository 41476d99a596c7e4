"""Ranks units by the probability that they contain evidence, learned from judged documents.

p(unit is evidence) = 1 / (1 + exp(-f(x))), x being the unit's features (`shared.unit_features`), and f logistic
regression's w · x + b or a sum of boosted trees (`shared.learned_ranking`). Trained by `longdoc train TASK --model
evidence_ranker`; scikit-learn's `LogisticRegression` and `GradientBoostingClassifier`, kept by skops.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np

from chunkers import Chunk
from longdoc.errors import UserError
from longdoc.registry import describe, name_of
from models import saved
from retrievers import Index, JudgedDocument, Lengths, Retriever, Scores, registry
from retrievers.links import SEVERAL_HOPS
from retrievers.shared.hop_features import HopFeatures
from retrievers.shared.learned_ranking import (
    JudgedTable,
    LearnedRanking,
    better_learner,
    learn,
    read,
)
from retrievers.shared.members import Composite, CompositeIndex
from retrievers.shared.ranking import ExactIndex
from retrievers.shared.unit_features import UnitFeatures, feature_names

LEXICAL = "bm25:heading=true,stop_words=english,stem=english"
SIGNALS: tuple[Any, ...] = (
    LEXICAL,
    "dense:heading=true",
    {"name": "scales", "retriever": LEXICAL, "scales": ["window"]},
    {"name": "scales", "retriever": LEXICAL, "scales": ["parent"]},
    {"name": "links", "retriever": LEXICAL},
    {"name": "links", "retriever": LEXICAL, **SEVERAL_HOPS},
    {"name": "spread", "retriever": {"name": "bm25", "b": 0, "stop_words": "english", "stem": "english"}},
)
AROUND = ("scales", "spread", "links")  # signals that score what is around a unit, or linked to it


@dataclass(frozen=True)
class EvidenceRanker(Composite):
    """Ranks units by the logit of being evidence, learned on the training split of a task.

    `model` is a folder that `longdoc train` made; `signals` and `chunker` are then those that it was trained with.
    `signals` are retrievers whose scores are among the features. `learner` is "logistic", "trees" (boosted trees over
    the features and over what a logistic ranking tells of each unit), or "auto": the one with the higher average
    precision in five-fold cross-validation over the documents, logistic regression below twelve documents. `weights`
    identifies what was learned, and is filled in from the folder. A blank question scores 0 everywhere. Raises
    `UserError`: no such folder, one that has changed, nothing learned yet.
    """

    model: str | None = None
    signals: tuple[Any, ...] | None = None
    chunker: str = ""
    weights: str = ""
    learner: Literal["auto", "logistic", "trees"] = "auto"
    _rankings: list[LearnedRanking] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.model is not None:
            self._load(self.model)
        members = tuple(registry.get(signal) for signal in (SIGNALS if self.signals is None else self.signals))
        if not members or any(member.query_source != "query" for member in members):
            raise UserError(
                "evidence_ranker: signals must be retrievers that rank by the question, as in signals=[bm25,dense]"
            )
        object.__setattr__(self, "signals", members)  # so that a run's record names them in full

    def _load(self, folder: str) -> None:
        description = saved.saved_description(folder, saved.RETRIEVER)
        if description is None or description["name"] != "evidence_ranker":
            raise UserError(
                f"{folder} does not hold an evidence_ranker. Train one: longdoc train TASK --model evidence_ranker "
                f"--out {folder}"
            )
        digest = saved.identity(folder)["weights"]
        if self.weights not in ("", digest):
            raise UserError(f"{folder} was trained again: its weights are {digest}, expected {self.weights}")
        learner = description.get("learner", "logistic")  # folders of 0.4 name none
        if self.learner not in ("auto", learner):
            raise UserError(f"{folder} was trained with learner={learner}: leave learner= out, or train it again")
        self._rankings.append(read(folder, learner))
        object.__setattr__(self, "learner", learner)
        signals = description.get("signals") if self.signals is None else self.signals
        object.__setattr__(self, "signals", tuple(registry.get(signal) for signal in signals or ()))
        object.__setattr__(self, "weights", digest)
        object.__setattr__(self, "chunker", self.chunker or description.get("chunker", ""))

    ranks_by_centroid = False

    @property
    def members(self) -> Sequence[Retriever]:
        """The signals."""
        return self.signals or ()

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index over the signals' indexes. Raises `UserError` before anything was learned."""
        if not self._rankings:
            raise UserError(
                "evidence_ranker must be trained first: longdoc train TASK --model evidence_ranker --out FOLDER, then "
                "use retriever=FOLDER"
            )
        if self.features != self._rankings[0].features:
            raise UserError(f"{self.model} was trained with other signals: leave signals= out, or train it again")
        return _RankerIndex(_Tables(self.members, chunks), chunks, self._rankings[0])

    def fit(self, documents: Iterable[JudgedDocument]) -> None:
        """Learn from judged documents; each question weighs alike, its evidence as much as the rest.

        Raises `UserError` where no unit is evidence, or all are."""
        self.learn(list(self.judged_tables(documents)))

    def judged_tables(self, documents: Iterable[JudgedDocument]) -> Iterator[JudgedTable]:
        """The features of each question that has evidence in some units and not in others."""
        for document in documents:
            tables = _Tables(self.members, document.chunks)
            for question, table, relevant in zip(
                document.questions, tables(document.questions), document.relevant, strict=True
            ):
                if relevant.any() and not relevant.all():
                    yield JudgedTable(document.id, question, table, relevant, tables.hops)

    def learn(self, judged: Sequence[JudgedTable]) -> None:
        """Learn the ranking from tables made with this retriever's signals."""
        if not judged:
            raise UserError(
                "evidence_ranker needs training questions with evidence in some units and not in others; there are none"
            )
        learner = better_learner(judged, self.features) if self.learner == "auto" else self.learner
        self._rankings[:] = [learn(judged, self.features, learner)]

    def save(self, folder: Path) -> None:
        """Save what was learned in a folder that `retrievers.get` loads."""
        (ranking,) = self._rankings
        saved.save(folder, ranking.arrays())
        fields = {"signals": describe(self.signals), "chunker": self.chunker, "learner": ranking.learner}
        saved.describe(folder, {"name": "evidence_ranker", **fields}, saved.RETRIEVER)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of a unit's features; signals of the same name are numbered from the second on."""
        signal_names = [name_of(signal) for signal in self.members]
        numbered_names = [
            f"{name} {signal_names[:position].count(name) + 1}" if name in signal_names[:position] else name
            for position, name in enumerate(signal_names)
        ]
        return feature_names(numbered_names)


class _Tables(CompositeIndex):
    """Feature tables of one document's units, from the signals' indexes."""

    def __init__(self, signals: Sequence[Retriever], chunks: Sequence[Chunk]) -> None:
        super().__init__("evidence_ranker", [signal.index(chunks) for signal in signals])
        self._chunks, self._features = chunks, UnitFeatures(chunks)
        self.hops = HopFeatures(chunks, self._features)
        unit_signals = [position for position, signal in enumerate(signals) if name_of(signal) not in AROUND]
        self._unit_signals = unit_signals or range(len(signals))  # those that say which units rank first

    def __call__(self, questions: Sequence[str]) -> Iterator[Scores]:
        """One table of features, float32 [units, features], for each question."""
        signal_scores = self.member_scores(questions)
        unit_scores = [signal_scores[position] for position in self._unit_signals]
        first_units = [
            self._features.first([scores[number] for scores in unit_scores]) for number in range(len(questions))
        ]
        distinct_units = list(dict.fromkeys(chain.from_iterable(first_units)))
        hop_scores = self.member_scores([self._chunks[position].text for position in distinct_units])
        row_of_unit = {position: number for number, position in enumerate(distinct_units)}
        for number, question in enumerate(questions):
            hop_rows = [row_of_unit[position] for position in first_units[number]]
            question_scores = [scores[number] for scores in signal_scores]
            yield self._features.table(
                question, question_scores, first_units[number], [scores[hop_rows] for scores in hop_scores]
            )


class _RankerIndex(ExactIndex):
    def __init__(self, tables: _Tables, chunks: Sequence[Chunk], ranking: LearnedRanking) -> None:
        self._tables, self._chunks, self._ranking = tables, chunks, ranking

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], logits."""
        logits = np.zeros((len(queries), len(self._chunks)), np.float32)
        numbers = [number for number, query in enumerate(queries) if query.strip()]
        questions = [queries[number] for number in numbers]
        if self._chunks and numbers:
            for number, question, table in zip(numbers, questions, self._tables(questions), strict=True):
                logits[number] = self._ranking.logits(question, table, self._tables.hops)
        return logits

    def passages(self) -> tuple[Lengths, ...]:
        """Counts of chunks over the limits of the signals' encoders."""
        return self._tables.passages()

    def queries(self, queries: Sequence[str]) -> tuple[Lengths, ...]:
        """Counts of queries over the limits of the signals' encoders."""
        return self._tables.queries(queries)
