"""The sets of questions, the ways and strategies to read them, and the cells of the tables."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.counting_questions import counting_questions
from benchmarks.evidence_families import HOTPOTQA
from pipelines import sources, tasks
from pipelines.records import Example

SEED = 0
QUESTIONS = 100  # of a set, at most
COUNTED = 800  # words of a document that is counted in, from its beginning
SCRIPTS = 12
WAYS: Mapping[str, Mapping[str, Any]] = {
    "closed book": {"retriever": "none"},
    "first": {"retriever": "first", "chunker": "tokens:size=100"},
    "tfidf": {"retriever": "tfidf", "chunker": "tokens:size=100"},
    "bm25": {"retriever": "bm25", "chunker": "tokens:size=100"},
    "bm25 sentences": {"retriever": "bm25", "chunker": "units:of=sentence"},
    "links": {"retriever": "links:{bm25:heading=true,stop_words=auto,stem=auto}", "chunker": "sentences:size=100"},
    "best words": {"retriever": "best:encoder=none"},
    "best": {"retriever": "best"},
    "oracle": {"retriever": "oracle:of=evidence", "chunker": "units:of=sentence"},
    "whole": {"retriever": "all", "chunker": "whole"},
    "recipe": {},
}
UNBUDGETED = ("closed book", "whole")
RECIPE = "recipe"  # the task's own: its chunks, ranking and strategy
BY_EVIDENCE = "oracle"


@dataclass(frozen=True)
class ManyRequests:
    """A strategy with several requests a question, and the way of `WAYS` with one request that it is compared with.

    Its retriever and chunker are those of this way. Each search of an agent fills the budget of the cell; searches of
    other strategies share it.
    """

    strategy: str
    beside: str
    chunker: str | None = None


STRATEGIES: Mapping[str, ManyRequests] = {  # the first two were removed: their outputs are kept, and asked no more
    "agent": ManyRequests("agent:steps=3", "bm25 sentences"),
    "agent tools": ManyRequests("agent:steps=3,calls=api", "bm25 sentences"),
    "iterative": ManyRequests("iterative", "bm25 sentences"),
    "refine": ManyRequests("refine", "bm25"),
    "vote": ManyRequests("vote", "bm25"),
    "map count": ManyRequests("map:count", "whole", "lines:size=200"),
}
TWO_SEARCHES = "iterative"


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
    unbudgeted: tuple[str, ...] = UNBUDGETED
    ids_have_hops: bool = False  # "3hop1__…", say

    def examples(self, folder: Path) -> list[Example]:
        """At most `QUESTIONS` examples, drawn by seed over their documents; a question in two files counts once."""
        task = tasks.get(self.task)
        by_question = {
            (example.document.text, example.query): example
            for file in self.files
            for example in sources.load(task.name, task.dataset, folder / file, "validation").examples()
            if example.references
        }
        documents = sorted({example.document.id for example in by_question.values()})
        random.Random(SEED).shuffle(documents)
        by_document = {
            document: [e for e in by_question.values() if e.document.id == document] for document in documents
        }
        turns = range(max(map(len, by_document.values())))
        return [rows[turn] for turn in turns for rows in by_document.values() if turn < len(rows)][:QUESTIONS]

    @property
    def total(self) -> None:
        """Nothing is counted."""


@dataclass(frozen=True)
class CountingSet:
    """Counting questions about the beginnings of film scripts; `total` says how the replies for parts are combined."""

    total: str
    task: str = "qa"
    metric: str = "exact_match"
    budgets: tuple[int, ...] = ()
    has_evidence: bool = False
    unbudgeted: tuple[str, ...] = UNBUDGETED
    ids_have_hops: bool = False

    def examples(self, folder: Path) -> list[Example]:
        """The questions of this kind."""
        return counting_questions(folder, SCRIPTS, 0, COUNTED)[self.total]


def _by_recipe(task: str, file: str, metric: str) -> QuestionSet:
    """A task of MuLD that is read by its own recipe alone."""
    return QuestionSet(task, (file,), metric, (), has_evidence=False, unbudgeted=(RECIPE,))


WITH_RECIPE = (*UNBUDGETED, RECIPE)
SETS: Mapping[str, QuestionSet | CountingSet] = {
    "HotpotQA": QuestionSet("hotpotqa", HOTPOTQA, "f1", unbudgeted=WITH_RECIPE),
    "MuSiQue": QuestionSet("zero_scrolls/musique", ("musique", "musique_3_4hop"), "f1_ascii", ids_have_hops=True),
    "QuALITY": QuestionSet("scrolls/quality", ("quality",), "exact_match", (130, 330, 700, 1400), has_evidence=False),
    "NarrativeQA": QuestionSet(
        "narrativeqa", ("narrativeqa",), "f1", (130, 330, 700, 1400), has_evidence=False, unbudgeted=WITH_RECIPE
    ),
    "Style change": _by_recipe("style_change", "style_change/pan23_easy", "style_change"),
    "Character types": _by_recipe("character_types", "character_archetype", "accuracy"),
    "Subtitles": _by_recipe("opensubtitles", "translation_en_de/films", "bleu-1"),
    "Theses": _by_recipe("vlsp", "vlsp", "rouge-l"),
    "How often": CountingSet("sum"),
    "How many different": CountingSet("distinct"),
    "Which first": CountingSet("first"),
}


@dataclass(frozen=True)
class Cell:
    """A set read in one way or by one strategy; `budget` is None where there is none."""

    set_name: str
    way: str
    budget: int | None

    @classmethod
    def named(cls, file_name: str) -> "Cell":
        """The cell of a file name such as `hotpotqa-bm25-130`; any budget will do."""
        set_part, way_part, *budget = file_name.split("-")
        set_name = next(name for name in SETS if _part(name) == set_part)
        way = next(name for name in (*WAYS, *STRATEGIES) if _part(name) == way_part)
        return cls(set_name, way, int(budget[0]) if budget else None)

    @property
    def file_name(self) -> str:
        """`hotpotqa-bm25-130`."""
        return "-".join([_part(self.set_name), _part(self.way), *([str(self.budget)] if self.budget else [])])

    @property
    def strategy(self) -> ManyRequests | None:
        """The strategy, where there are several requests a question."""
        return STRATEGIES.get(self.way)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `run`."""
        budget = {"budget": f"{self.budget} words"} if self.budget else {}
        if (many_requests := self.strategy) is None:
            return {**WAYS[self.way], **budget}
        total = SETS[self.set_name].total
        strategy = many_requests.strategy + (f",total={total}" if total else "")
        chunker = {"chunker": many_requests.chunker} if many_requests.chunker else {}
        return {**WAYS[many_requests.beside], **chunker, "strategy": strategy, **budget}

    @property
    def place(self) -> tuple[int, int, int]:
        """The sort key of tables: set, budget and way."""
        return list(SETS).index(self.set_name), self.budget or 0, [*WAYS, *STRATEGIES].index(self.way)


def _part(name: str) -> str:
    return name.lower().replace(" ", "_")


def cells(set_name: str) -> Iterator[Cell]:
    """The cells of a set that are not a strategy's: those without a budget, then small budgets first."""
    question_set = SETS[set_name]
    yield from (Cell(set_name, way, None) for way in question_set.unbudgeted)
    for budget in question_set.budgets:
        for way in WAYS:
            if way not in WITH_RECIPE and (way != BY_EVIDENCE or question_set.has_evidence):
                yield Cell(set_name, way, budget)
