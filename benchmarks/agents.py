"""Does a second search that an agent chooses find more evidence than one search of the same number of words?
And are counts over whole documents exact, part by part and by retrieval?

On 40 questions of HotpotQA, many of whose second passages are named in the first. The agent follows a rule, no model:
it searches for the names in the best passage that the question does not have, then answers as the reader `extractive`,
which answers the other conditions too. All conditions show the same number of words: one search fills all of it, two
searches half of it each. Nothing is tuned on these questions. The second table has counting questions made by rule
(`benchmarks.counting_questions`), and a reader that makes no mistake in what it is shown.

Run: python -m benchmarks.agents [searches|counting] (LONGDOC_REALDATA).
"""

import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pipelines
from benchmarks.counting_questions import CountingReader, counting_questions
from benchmarks.evidence_families import HOTPOTQA
from benchmarks.results import FEWER, interval, publish, realdata, table, use_fp32
from models.baselines.extractive import Extractive
from models.prompts import Prompt
from models.requests import Generate
from pipelines import metrics, sources, tasks
from pipelines.display.numbers import MISSING
from pipelines.metrics import Row
from pipelines.records import Example, Prediction
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.paired import paired

QUESTIONS = 40
BUDGETS = (100, 200)  # words
RETRIEVERS = ("bm25", "best")
SCORES = ("evidence_recall", "f1")
NAMES = 8  # that are searched for
SCRIPTS, BOOKS = 8, 4  # that are counted in
PART_WORDS = (200, 1000, 5000)  # words of a part
SELECTED_WORDS = (1000, 5000)
WINDOW = 8000  # words
ANSWER = 2000  # words of an answer: the speakers of a part
HEAD = [
    "condition", "words shown", "requests", "words of prompts", "evidence recall", "less retrieval", "p", "F1",
    "less retrieval", "p",
]  # fmt: skip
COUNTING_HEAD = [
    "way to read", "how often", "how many different", "which first", "exact", "requests", "words of prompts",
]  # fmt: skip

_NAME = re.compile(r"[A-Z][\w'’-]+(?:\s+(?:of\s+|the\s+)?[A-Z][\w'’-]+)*")


@dataclass(frozen=True)
class RuleAgent(Extractive):
    """Searches for the names of the best passage, then answers as `extractive`."""

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """A call: of a search where there was only the first one, else the answer."""
        path = prompt.text.rpartition("Steps so far:")[2].partition("Steps left:")[0]
        query = new_names(prompt)
        if path.count("SEARCH: ") == 1 and query:
            return [f"SEARCH: {query}"]
        return [f"ANSWER: {text}" for text in super().outputs(prompt, request)]


def new_names(prompt: Prompt) -> str:
    """The names in the best passage that have a word which the question does not have."""
    best = min(prompt.passages, key=lambda part: part.rank)
    question_words = set(re.findall(r"\w+", prompt.query.casefold()))
    names = dict.fromkeys(match[0] for match in _NAME.finditer(best.text))
    return " ".join([n for n in names if not set(re.findall(r"\w+", n.casefold())) <= question_words][:NAMES])


class Condition(NamedTuple):
    """A strategy with its reader, and the number of searches that share the words."""

    name: str
    strategy: str
    reader: Any
    searches: int


CONDITIONS = (
    Condition("retrieval", "stuff", Extractive(), 1),
    Condition("iterative", "iterative:extend=passages", Extractive(), 1),  # which divides the words itself
    Condition("agent", "agent:steps=3", RuleAgent(), 2),
)


def examples(folder: Path) -> list[Example]:
    """The first questions of the file."""
    task = tasks.get("hotpotqa")
    return list(sources.load(task.name, task.dataset, folder / HOTPOTQA[0], "validation").examples())[:QUESTIONS]


class Measured(NamedTuple):
    """Means over the questions, and the rows of each score."""

    words: float
    requests: float
    prompt_words: float
    scores: dict[str, float]
    rows: dict[str, list[Row]]


def measured(condition: Condition, questions: Sequence[Example], retriever: str, words: int) -> Measured:
    """What a run gives; its folder is not kept."""
    with tempfile.TemporaryDirectory() as folder:
        result = pipelines.run(
            "hotpotqa", data=questions, model=condition.reader, strategy=condition.strategy, retriever=retriever,
            select=words // condition.searches, metrics=list(SCORES), report=False, out=Path(folder) / "run",
            chunker=None if retriever == "best" else "sentences:size=60",
        )  # fmt: skip
        predictions = result.predictions
    shown, requests, prompts = (
        sum(values) / len(predictions)
        for values in zip(*((p.shown_words or 0, p.requests, p.tokens_in) for p in predictions), strict=True)
    )
    rows = {name: [prediction.statistics[name] for prediction in predictions] for name in SCORES}
    return Measured(shown, requests, prompts, dict(result.scores), rows)


def table_rows(questions: Sequence[Example], retriever: str, words: int) -> list[list[str]]:
    """A row for each condition."""
    documents = [example.document.id for example in questions]
    runs = {condition.name: measured(condition, questions, retriever, words) for condition in CONDITIONS}
    rows = []
    for name, run in runs.items():
        cells = [f"{retriever}, {words} words, {name}"]
        cells += [f"{run.words:.0f}", f"{run.requests:.1f}", f"{run.prompt_words:.0f}"]
        for score in SCORES:
            cells += score_cells(score, run, runs["retrieval"], documents, name == "retrieval")
        rows.append(cells)
    return rows


def score_cells(score: str, run: Measured, retrieval: Measured, documents: Sequence[str], is_first: bool) -> list[str]:
    """A score with its interval, and its difference from retrieval with its interval and p."""
    metric = metrics.get(score)
    cell = f"{run.scores[score]:.1f} {interval(intervals(metric, run.rows[score], documents).get(score))}"
    if is_first:
        return [cell, MISSING, MISSING]
    difference = paired(metric, retrieval.rows[score], run.rows[score], documents)[score]
    return [cell, f"{difference.value:+.1f} {interval(difference.interval)}", f"{difference.p:.4f}"]


class CountingCondition(NamedTuple):
    """A way to read whole documents: counting over parts (`is_counted`), or one prompt of at most `window` words."""

    name: str
    arguments: dict[str, Any]
    is_counted: bool = False
    window: int | None = None


COUNTING_CONDITIONS = (
    *(
        CountingCondition(
            f"map:count, parts of {words:,} words", {"retriever": "all", "chunker": f"lines:size={words}"}, True
        )
        for words in PART_WORDS
    ),
    *(
        CountingCondition(f"bm25, {words:,} words", {"retriever": "bm25", "select": words, "chunker": "lines:size=100"})
        for words in SELECTED_WORDS
    ),
    CountingCondition(
        f"whole document in a window of {WINDOW:,} words", {"retriever": "all", "chunker": "whole"}, window=WINDOW
    ),
)


def predictions_of(condition: CountingCondition, total: str, questions: Sequence[Example]) -> list[Prediction]:
    """What a run gives; its folder is not kept."""
    with tempfile.TemporaryDirectory() as folder:
        result = pipelines.run(
            "qa", data=questions, model=CountingReader(condition.window), metrics=["exact_match"], report=False,
            strategy=f"map:count,total={total}" if condition.is_counted else "stuff", max_new_tokens=ANSWER,
            out=Path(folder) / "run", **condition.arguments,
        )  # fmt: skip
        return list(result.predictions)


def counting_row(condition: CountingCondition, questions: dict[str, list[Example]]) -> list[str]:
    """How many answers of each kind are exact, the share of all with its interval, and what that takes."""
    metric = metrics.get("exact_match")
    groups = [predictions_of(condition, total, examples_of_kind) for total, examples_of_kind in questions.items()]
    predictions = [prediction for group in groups for prediction in group]
    rows = [prediction.statistics["exact_match"] for prediction in predictions]
    exact = [sum(p.prediction in p.references for p in group) for group in groups]
    bounds = intervals(metric, rows, [prediction.document for prediction in predictions]).get("exact_match")
    means = [sum(values) / len(rows) for values in zip(*((p.requests, p.tokens_in) for p in predictions), strict=True)]
    return [
        condition.name,
        *(f"{count} of {len(group)}" for count, group in zip(exact, groups, strict=True)),
        f"{metric.aggregate(rows)['exact_match']:.1f} {interval(bounds)}",
        *(f"{mean:,.0f}" for mean in means),
    ]


def publish_searches(folder: Path) -> None:
    """The table of an agent beside retrieval."""
    use_fp32()
    questions = examples(folder)
    rows = [row for retriever in RETRIEVERS for words in BUDGETS for row in table_rows(questions, retriever, words)]
    notes = (
        f"{len(questions)} questions of HotpotQA. {FEWER} p: two-sided, by exchange of the two outputs within "
        "documents, for each comparison alone. The agent is a rule: what a model would search for is not measured here."
    )
    publish("agents", f"{notes}\n\n{table(HEAD, rows)}", "searches", "agents")


def publish_counting(folder: Path) -> None:
    """The table of counting questions."""
    questions = counting_questions(folder, SCRIPTS, BOOKS)
    rows = [counting_row(condition, questions) for condition in COUNTING_CONDITIONS]
    documents = {example.document.id for kind in questions.values() for example in kind}
    notes = (
        f"{sum(map(len, questions.values()))} questions about {SCRIPTS} scripts and {BOOKS} books ({len(documents)} "
        f"documents), with answers counted by rule. {FEWER} The reader makes no mistake in what it is shown: what is "
        "measured is what a way of reading leaves out. Requests and words of prompts are of a question."
    )
    publish("agents", f"{notes}\n\n{table(COUNTING_HEAD, rows)}", "counting", "agents: counting")


def main() -> None:
    folder = realdata()
    if folder is None:
        publish("agents", "Not measured: the folder of real examples is not here (LONGDOC_REALDATA).")
        return
    tables = {"searches": publish_searches, "counting": publish_counting}
    for name in sys.argv[1:] or tables:
        tables[name](folder)


if __name__ == "__main__":
    main()
