"""What learning to rank units adds to presets and plain rankers: in the family, over all families, over all but it.

By five-fold cross-validation over documents, one seed; words alone, or with vectors of `minilm` ("vectors"). `logistic`
and `trees` are `evidence_ranker` with that learner, fitted on the other documents of the family; "all families" on the
other documents of all four, "all but this" on the three others whole. `lists` ranks after the trees.

Decided before measuring: a fitted ranker takes a preset's place as `best` only where, fitted on all families but this,
it has at least the preset's recall and full evidence there.

Run: python -m benchmarks.evidence_learned [vectors] (LONGDOC_REALDATA; `vectors` needs the extra `embedded`).
"""

import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import retrievers
from benchmarks.evidence_families import FAMILIES, DocumentQuestions, Family, Measurements, System, measure, questions
from benchmarks.evidence_setting import SETTINGS, VECTORS, Setting, best, plain, presets
from benchmarks.results import INTERVALS_NOTE, publish, realdata, table, use_fp32
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.training_data import judged_documents
from retrievers import JudgedDocument
from retrievers.evidence import PRESETS
from retrievers.shared.learned_ranking import JudgedTable

FOLDS = 5
NAMES = ("HotpotQA", "MuSiQue", "MuSiQue-3-4", "ContractNLI", "QMSum")
KINDS = {"MuSiQue-3-4": "MuSiQue"}  # families with a row of their own that are learned with another


class Learning:
    """The families' documents, their units' features, and the rankers that are fitted on them."""

    def __init__(self, folder: Path, setting: Setting) -> None:
        self.families = [family for family in FAMILIES if family.name in NAMES]
        self.documents = {family.name: questions(family, folder) for family in self.families}
        self.setting = setting
        self.tables = {family.name: self._tables(family) for family in self.families}
        self.seconds: dict[str, float] = {}

    def _tables(self, family: Family) -> list[JudgedTable]:
        """The features of the family's units; they take longer than what is learned from them."""
        ranker: Any = retrievers.get("evidence_ranker", signals=self.setting.signals)
        return list(ranker.judged_tables(judged(family, self.documents[family.name])))

    def ranker(self, learner: str, tables: Sequence[JudgedTable], name: str) -> Any:
        """A ranker of this learner, fitted; how long that took is kept under the name."""
        begun = time.perf_counter()
        ranker: Any = retrievers.get("evidence_ranker", signals=self.setting.signals, learner=learner)
        ranker.learn(tables)
        self.seconds[name] = time.perf_counter() - begun
        return ranker

    def folds(self, family: Family) -> list[list[DocumentQuestions]]:
        """The documents of a family in five parts."""
        documents = self.documents[family.name]
        fold_of = np.random.default_rng(0).permutation(len(documents)) % FOLDS
        return [[entry for entry, own in zip(documents, fold_of, strict=True) if own == fold] for fold in range(FOLDS)]

    def outside(self, families: Sequence[Family], fold: int) -> list[JudgedTable]:
        """The tables of families outside a fold of each."""
        inside = {entry.document.id for family in families for entry in self.folds(family)[fold]}
        return [entry for family in families for entry in self.tables[family.name] if entry.document not in inside]

    def in_family(self, family: Family, learner: str) -> Measurements:
        """Fitted on the other documents of the family."""
        return self._measured(family, self.in_kind(kind_of(family), learner))

    def in_lists(self, family: Family) -> Measurements:
        """Trees fitted in the family, with the lead-ins of lists."""
        trees = self.in_kind(kind_of(family), "trees")
        return self._measured(family, [retrievers.get("lists", retriever=ranker) for ranker in trees])

    def over_all(self, family: Family) -> Measurements:
        """Fitted on the other documents of all families."""
        return self._measured(family, self._of_all())

    def without(self, family: Family) -> Measurements:
        """Fitted on the families of other kinds."""
        return self._measured(family, [self._outside_kind(kind_of(family))] * FOLDS)

    @cache  # noqa: B019 - one object a process
    def in_kind(self, kind: str, learner: str) -> list[Any]:
        """The rankers of the folds, each fitted on the documents of a kind that are not in its fold."""
        parts = [self.outside_in_kind(kind, fold) for fold in range(FOLDS)]
        return [self.ranker(learner, tables, f"{learner}: {kind}") for tables in parts]

    def outside_in_kind(self, kind: str, fold: int) -> list[JudgedTable]:
        """The tables of the families of a kind outside a fold of each."""
        return self.outside([family for family in self.families if kind_of(family) == kind], fold)

    @cache  # noqa: B019 - one object a process
    def _outside_kind(self, kind: str) -> Any:
        others = [family.name for family in self.families if kind_of(family) != kind]
        return self.ranker("trees", [entry for name in others for entry in self.tables[name]], f"all but {kind}")

    @cache  # noqa: B019 - one object a process
    def _of_all(self) -> list[Any]:
        return [self.ranker("trees", self.outside(self.families, fold), "all families") for fold in range(FOLDS)]

    def _measured(self, family: Family, rankers: Sequence[Any]) -> Measurements:
        measurements = Measurements({budget: [] for budget in family.budgets})
        for documents, ranker in zip(self.folds(family), rankers, strict=True):
            system = System("", PRESETS[family.preset].chunker, ranker)
            measurements.add(measure(documents, [system], family.budgets)[""])
        return measurements


def kind_of(family: Family) -> str:
    """The name that a family shares with those that it is learned with."""
    return KINDS.get(family.name, family.name)


def judged(family: Family, documents: Sequence[DocumentQuestions]) -> Iterator[JudgedDocument]:
    """The family's documents, in the units of its preset."""
    examples = [example for entry in documents for example in entry.examples]
    chunker = PRESETS[family.preset].chunker
    plan = make_plan(family.task, data=examples, split=None, chunker=chunker, retriever="bm25", model="none")
    return judged_documents(plan)


def peers(family: Family, documents: Sequence[DocumentQuestions], setting: Setting) -> list[Measurements]:
    """The strongest plain ranker and the preset, in the order of the documents."""
    systems, preset = plain(family, setting), presets(family, setting)[0]
    measured = measure(documents, [*systems, preset], family.budgets)
    return [best(measured, systems, family.budget)[1], measured[preset.name]]


def section(learning: Learning, family: Family) -> str:
    """The table of a family."""
    documents = [entry for fold in learning.folds(family) for entry in fold]
    strongest, preset = peers(family, documents, learning.setting)
    measured = {
        "strongest plain ranker": strongest,
        f"`evidence:{family.preset}`": preset,
        "logistic": learning.in_family(family, "logistic"),
        "trees": learning.in_family(family, "trees"),
        "trees, then `lists`": learning.in_lists(family),
        "trees, all families": learning.over_all(family),
        "trees, all families but this": learning.without(family),
    }
    rows = [row(name, system, family, strongest, preset) for name, system in measured.items()]
    head = ["", "recall", "full evidence", *(["answer in context"] if family.has_answers else [])]
    head += ["recall over plain", "recall over preset", "full over plain"]
    text = f"### {family.title}, {family.budget:,} words\n\n"
    text += f"{len(documents)} documents, {len(preset.documents):,} questions.\n\n{table(head, rows)}\n"
    print(text, file=sys.stderr)
    return text


def row(name: str, system: Measurements, family: Family, strongest: Measurements, preset: Measurements) -> list[str]:
    """A system's scores, and how much more they are than the strongest plain ranker's and the preset's."""
    budget = family.budget
    answers = [f"{system.score('answer_recall', budget):.1f}"] if family.has_answers else []
    return [
        name, system.recall(budget), f"{system.score('full_evidence', budget):.1f}", *answers,
        "" if system is strongest else system.ahead(strongest, budget),
        "" if system in (strongest, preset) else system.ahead(preset, budget),
        "" if system is strongest else system.ahead(strongest, budget, "full_evidence"),
    ]  # fmt: skip


def main(arguments: Sequence[str]) -> None:
    """Measure all families, by words alone or with vectors."""
    folder, kind = realdata(), VECTORS if VECTORS in arguments else ""
    if kind:
        use_fp32()
    if folder is None:
        sys.exit("the real examples are missing: set LONGDOC_REALDATA to their folder")
    begun = time.perf_counter()
    learning = Learning(folder, SETTINGS[kind])
    title = ": ".join(filter(None, ["evidence_learned", kind]))
    sections: list[str] = []
    for family in learning.families:  # written after each family, so that an interrupted run leaves what it measured
        sections.append(section(learning, family))
        times = ", ".join(f"{name} {seconds:.0f}" for name, seconds in learning.seconds.items())
        seconds = f"Seconds of a fit: {times}. {time.perf_counter() - begun:.0f} seconds in all."
        publish("evidence_learned", "\n".join([INTERVALS_NOTE + "\n", *sections, seconds]), " ".join(arguments), title)


if __name__ == "__main__":
    main(sys.argv[1:])
