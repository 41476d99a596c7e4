"""The sets, the ways to read them, and the budgets: what a cell of the table is, and in what order cells are asked."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.evidence_families import HOTPOTQA
from pipelines import sources, tasks
from pipelines.records import Example

SEED = 0
QUESTIONS = 100  # of a set, at most
WAYS: Mapping[str, Mapping[str, Any]] = {
    "closed book": {"retriever": "none"},
    "first": {"retriever": "first", "chunker": "tokens:size=100"},
    "tfidf": {"retriever": "tfidf", "chunker": "tokens:size=100"},
    "bm25": {"retriever": "bm25", "chunker": "tokens:size=100"},
    "bm25 sentences": {"retriever": "bm25", "chunker": "units:of=sentence"},
    "best": {"retriever": "best"},
    "oracle": {"retriever": "oracle:of=evidence", "chunker": "units:of=sentence"},
}
UNBUDGETED = ("closed book",)


@dataclass(frozen=True)
class QuestionSet:
    """Questions of a task: their files in the folder of real examples, their score, and the words that are shown.

    130 words are about 250 tokens of prompt, 330 about 500, 700 about 1,000.
    """

    task: str
    files: tuple[str, ...]
    metric: str
    budgets: tuple[int, ...] = (130, 330, 700)
    has_evidence: bool = True

    def examples(self, folder: Path) -> list[Example]:
        """So many questions, drawn by seed by their documents; a question that two files have counts once."""
        task = tasks.get(self.task)
        found = {
            (example.document.text, example.query): example
            for file in self.files
            for example in sources.load(task.name, task.dataset, folder / file, "validation").examples()
            if example.references
        }
        documents = sorted({example.document.id for example in found.values()})
        random.Random(SEED).shuffle(documents)
        rank = {document: place for place, document in enumerate(documents)}
        return sorted(found.values(), key=lambda example: rank[example.document.id])[:QUESTIONS]


SETS: Mapping[str, QuestionSet] = {
    "HotpotQA": QuestionSet("hotpotqa", HOTPOTQA, "f1"),
    "MuSiQue": QuestionSet("zero_scrolls/musique", ("musique", "musique_3_4hop"), "f1_ascii"),
    "QuALITY": QuestionSet("scrolls/quality", ("quality",), "exact_match", (130, 330, 700, 1400), has_evidence=False),
    "NarrativeQA": QuestionSet("narrativeqa", ("narrativeqa",), "f1", (130, 330, 700, 1400), has_evidence=False),
}


@dataclass(frozen=True)
class Cell:
    """A set read in one way; `budget` is None where there is none."""

    set_name: str
    way: str
    budget: int | None

    @property
    def file_name(self) -> str:
        """`hotpotqa-bm25-130`."""
        parts = [self.set_name.lower(), self.way.replace(" ", "_"), *([str(self.budget)] if self.budget else [])]
        return "-".join(parts)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `run` is given."""
        return {**WAYS[self.way], **({"select": self.budget} if self.budget else {})}


def cells(set_name: str) -> Iterator[Cell]:
    """The cells of a set, small budgets first."""
    of_set = SETS[set_name]
    yield from (Cell(set_name, way, None) for way in UNBUDGETED)
    for budget in of_set.budgets:
        for way in WAYS:
            if way not in UNBUDGETED and (way != "oracle" or of_set.has_evidence):
                yield Cell(set_name, way, budget)
