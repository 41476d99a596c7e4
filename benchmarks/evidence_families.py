"""Documents with gold evidence, by family, and how much of it a chunker and a retriever let through at a budget."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import chunkers
import retrievers
from benchmarks.marked_questions import is_for_tuning, marked_questions
from benchmarks.results import interval
from chunkers import Chunk
from pipelines import metrics, sources, tasks
from pipelines.engine.preparation.selection import fill
from pipelines.metrics import EVIDENCE_NAMES, Row
from pipelines.metrics.shared.gold_spans import overlap
from pipelines.records import Document, Example, Span
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.paired import paired
from retrievers import Retriever

METRICS: tuple[Any, ...] = tuple(metrics.get(name) for name in EVIDENCE_NAMES)
RECALL = metrics.get("evidence_recall")
ANSWERS: Any = metrics.get("answer_recall")


@dataclass(frozen=True, slots=True)
class Family:
    """A task with gold evidence: its files within the folder of real examples, and three budgets in words.

    A family without files has questions whose evidence was marked by hand (`benchmarks.marked_questions`).

    `preset` is the kind of evidence, `unit` the natural unit that peers rank. `about` says which part of the task's
    questions the files have; `has_answers` whether answers are words of the document, which can be looked for.
    """

    name: str
    task: str
    files: tuple[str, ...]
    budgets: tuple[int, int, int]
    preset: str
    unit: str = "paragraph"
    split: str = "validation"
    about: str = ""
    has_answers: bool = False

    @property
    def title(self) -> str:
        """The name, with the part of the task's questions: `MuSiQue (two hops only)`."""
        return f"{self.name} ({self.about})" if self.about else self.name

    @property
    def budget(self) -> int:
        """The budget at which systems are compared."""
        return self.budgets[1]


HOTPOTQA = ("hotpotqa/hotpot_distractor_80.jsonl", "hotpotqa/meve_hotpot_dev_distractor_100.json")
MORE_HOPS = "three and four hops"
FAMILIES = (
    Family("HotpotQA", "hotpotqa", HOTPOTQA, (100, 200, 400), "sentence", has_answers=True),
    Family(
        "MuSiQue",
        "zero_scrolls/musique",
        ("musique",),
        (140, 280, 560),
        "passage",
        about="two hops only",
        has_answers=True,
    ),
    Family(
        "MuSiQue-3-4",
        "zero_scrolls/musique",
        ("musique_3_4hop",),
        (140, 280, 560),
        "passage",
        about=MORE_HOPS,
        has_answers=True,
    ),
    Family("ContractNLI", "scrolls/contract_nli", ("contract_nli",), (150, 300, 600), "clause"),
    Family("QMSum", "scrolls/qmsum", ("qmsum",), (1000, 2000, 4000), "range", unit="turn"),
    Family("Qasper", "scrolls/qasper", ("qasper",), (150, 300, 600), "paragraph", has_answers=True),
    Family("fiction, for tuning", "narrativeqa", (), (150, 300, 600), "narrative", about="half of the documents"),
    Family("fiction", "narrativeqa", (), (150, 300, 600), "narrative", about="the other half"),
    Family("LooGLE", "loogle/shortdep_qa", ("loogle",), (150, 300, 600), "general", split="test"),
    Family("chunking evaluation", "qa", ("chunking_evaluation",), (300, 600, 750), "general", split="test"),
)


class DocumentQuestions(NamedTuple):
    """A document and its questions."""

    document: Document
    examples: Sequence[Example]


class System(NamedTuple):
    """A chunker and a retriever, as `run` takes them."""

    name: str
    chunker: Any
    retriever: Any


@dataclass(slots=True)
class Measurements:
    """The metrics of every question at each budget for one system, and the seconds it took.

    `documents` holds the document of each question, in the same order.
    """

    rows: dict[int, list[Row]]
    documents: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: "Measurements") -> None:
        """Add what was measured on other documents."""
        for budget, rows in other.rows.items():
            self.rows[budget] += rows
        self.documents += other.documents
        self.seconds += other.seconds

    def score(self, metric: str, budget: int) -> float:
        """The mean over the questions, 0–100."""
        return metrics.get(metric).aggregate(self.rows[budget])[metric]

    def recall(self, budget: int) -> str:
        """The mean evidence recall with its interval by document: `67.12 [62.03, 72.34]`."""
        bounds = intervals(RECALL, self.rows[budget], self.documents).get("evidence_recall")
        return f"{self.score('evidence_recall', budget):.2f} {interval(bounds)}"

    def ahead(self, other: "Measurements", budget: int, metric: str = "evidence_recall") -> str:
        """This one's score less another's, over the same questions, with its interval: `+3.10 [0.21, 6.02]`."""
        difference = paired(metrics.get(metric), other.rows[budget], self.rows[budget], self.documents)[metric]
        return f"{difference.value:+.2f} {interval(difference.interval)}"


@cache
def questions(family: Family, folder: Path) -> tuple[DocumentQuestions, ...]:
    """The family's documents with their questions that have gold evidence; a question in two files counts once."""
    by_text: dict[str, tuple[Document, dict[str, Example]]] = {}
    for example in _examples(family, folder):
        if example.evidence:
            _, by_query = by_text.setdefault(example.document.text, (example.document, {}))
            by_query.setdefault(example.query, example)
    return tuple(DocumentQuestions(document, tuple(by_query.values())) for document, by_query in by_text.values())


def _examples(family: Family, folder: Path) -> Iterator[Example]:
    if not family.files:
        tuning = family.name.endswith("for tuning")
        yield from (entry for entry in marked_questions(folder) if is_for_tuning(entry.document) is tuning)
        return
    task = tasks.get(family.task)
    for file in family.files:
        yield from sources.load(task.name, task.dataset, folder / file, family.split).examples()


def measure(
    documents: Iterable[DocumentQuestions], systems: Sequence[System], budgets: Sequence[int]
) -> dict[str, Measurements]:
    """The measurements of every system, by name. A document is split once by each chunker, and ranked once."""
    results = {system.name: Measurements({budget: [] for budget in budgets}) for system in systems}
    splitters = {str(system.chunker): chunkers.get(system.chunker) for system in systems}
    rankers = [retrievers.get(system.retriever) for system in systems]
    for document, examples in documents:
        chunks = {key: splitter.split(document.text) for key, splitter in splitters.items()}
        for system, ranker in zip(systems, rankers, strict=True):
            _measure(document, examples, chunks[str(system.chunker)], ranker, results[system.name])
    return results


def _measure(
    document: Document,
    examples: Sequence[Example],
    chunks: Sequence[Chunk],
    ranker: Retriever,
    measurements: Measurements,
) -> None:
    begun = time.perf_counter()
    _, ids = ranker.index(chunks).search([_query(ranker, example) for example in examples])
    measurements.seconds += time.perf_counter() - begun
    measurements.documents += [document.id] * len(examples)
    for example, row in zip(examples, ids.tolist(), strict=True):
        for budget, rows in measurements.rows.items():
            rows.append(statistics(example, shown_spans(document.text, [chunks[i] for i in row], budget)))


def _query(retriever: Retriever, example: Example) -> str:
    """A retriever's query: the question, or for the ceiling the gold spans."""
    if retriever.query_source == "evidence":
        return "\n".join(f"{start} {end}" for start, end in example.evidence)
    return example.query


def shown_spans(text: str, ranked: Sequence[Chunk], budget: int) -> list[Span]:
    """The spans of a document that fill a budget in words, headings included."""
    passages = fill(text, ranked, budget).chunks
    return [span for one in passages for span in ((one.start, one.end), one.heading) if span]


def statistics(example: Example, spans: Sequence[Span]) -> Row:
    """The metrics of evidence of one question, and whether an answer is in the text."""
    gold_overlap = overlap(example, spans)
    text = " ".join(example.document.text[start:end] for start, end in spans)
    answers = {"answer_recall": ANSWERS.statistics(text, example)["answer_recall"]}
    return {"has_evidence": 1.0} | {metric.name: metric.value(gold_overlap) for metric in METRICS} | answers
