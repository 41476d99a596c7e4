"""Does a second search that an agent chooses find more evidence than one search of the same number of words?

On 40 questions of HotpotQA, many of whose second passages are named in the first. The agent follows a rule, no model:
it searches for the names in the best passage that the question does not have, then answers as the reader `extractive`,
which answers the other conditions too. All conditions show the same number of words: one search fills all of it, two
searches half of it each. Nothing is tuned on these questions. Run: python -m benchmarks.agents (LONGDOC_REALDATA).
"""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pipelines
from benchmarks.evidence_families import HOTPOTQA
from benchmarks.results import FEWER, interval, publish, realdata, table
from models.baselines.extractive import Extractive
from models.prompts import Prompt
from models.requests import Generate
from pipelines import metrics, sources, tasks
from pipelines.display.numbers import MISSING
from pipelines.metrics import Row
from pipelines.records import Example
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.paired import paired

QUESTIONS = 40
BUDGETS = (100, 200)  # words
RETRIEVERS = ("bm25", "best")
SCORES = ("evidence_recall", "f1")
NAMES = 8  # that are searched for
HEAD = [
    "condition", "words shown", "requests", "words of prompts", "evidence recall", "less retrieval", "p", "F1",
    "less retrieval", "p",
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


def main() -> None:
    folder = realdata()
    if folder is None:
        publish("agents", "Not measured: the folder of real examples is not here (LONGDOC_REALDATA).")
        return
    questions = examples(folder)
    rows = [row for retriever in RETRIEVERS for words in BUDGETS for row in table_rows(questions, retriever, words)]
    notes = (
        f"{len(questions)} questions of HotpotQA. {FEWER} p: two-sided, by exchange of the two outputs within "
        "documents, for each comparison alone. The agent is a rule: what a model would search for is not measured here."
    )
    publish("agents", f"{notes}\n\n{table(HEAD, rows)}")


if __name__ == "__main__":
    main()
