"""Are counts over whole documents exact, part by part and by retrieval?

The questions are made by rule (`benchmarks.counting_questions`), and the reader makes no mistake in what it is shown.

Run: python -m benchmarks.counting (LONGDOC_REALDATA).
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pipelines
from benchmarks.counting_questions import CountingReader, counting_questions
from benchmarks.results import INTERVALS_NOTE, interval, publish, realdata, table
from pipelines import metrics
from pipelines.records import Example, Prediction
from pipelines.statistics.bootstrap import intervals

SCRIPTS, BOOKS = 8, 4  # that are counted in
PART_WORDS = (200, 1000, 5000)  # words of a part
SELECTED_WORDS = (1000, 5000)
WINDOW = 8000  # words
ANSWER = 2000  # words of an answer: the speakers of a part
HEAD = [
    "way to read", "how often", "how many different", "which first", "exact", "requests", "words of prompts",
]  # fmt: skip


class Condition(NamedTuple):
    """A way to read whole documents: counting over parts (`is_counted`), or one prompt of at most `window` words."""

    name: str
    arguments: dict[str, Any]
    is_counted: bool = False
    window: int | None = None


CONDITIONS = (
    *(
        Condition(f"map:count, parts of {words:,} words", {"retriever": "all", "chunker": f"lines:size={words}"}, True)
        for words in PART_WORDS
    ),
    *(
        Condition(
            f"bm25, {words:,} words", {"retriever": "bm25", "budget": f"{words} words", "chunker": "lines:size=100"}
        )
        for words in SELECTED_WORDS
    ),
    Condition(
        f"whole document in a window of {WINDOW:,} words", {"retriever": "all", "chunker": "whole"}, window=WINDOW
    ),
)


def predictions_of(condition: Condition, total: str, questions: Sequence[Example]) -> list[Prediction]:
    """The predictions of a run in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        result = pipelines.run(
            "qa", data=questions, model=CountingReader(condition.window), metrics=["exact_match"], report=False,
            strategy=f"map:count,total={total}" if condition.is_counted else "stuff", max_new_tokens=ANSWER,
            out=Path(folder) / "run", **condition.arguments,
        )  # fmt: skip
        return list(result.predictions)


def condition_row(condition: Condition, questions: dict[str, list[Example]]) -> list[str]:
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


def publish_counts(folder: Path) -> None:
    """The table of counting questions."""
    questions = counting_questions(folder, SCRIPTS, BOOKS)
    rows = [condition_row(condition, questions) for condition in CONDITIONS]
    documents = {example.document.id for kind in questions.values() for example in kind}
    notes = (
        f"{sum(map(len, questions.values()))} questions about {SCRIPTS} scripts and {BOOKS} books ({len(documents)} "
        f"documents), with answers counted by rule. {INTERVALS_NOTE} The reader makes no mistake in what it is shown: "
        "what is measured is what a way of reading leaves out. Requests and words of prompts are of a question."
    )
    publish("counting", f"{notes}\n\n{table(HEAD, rows)}")


def main() -> None:
    if (folder := realdata()) is None:
        publish("counting", "Not measured: the folder of real examples is not here (LONGDOC_REALDATA).")
        return
    publish_counts(folder)


if __name__ == "__main__":
    main()
