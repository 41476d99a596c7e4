"""Whole documents against retrieval without a reader: pages of FinanceBench's filings, documents of AA-LCR's sets.

Passages fill a budget of words, ranked as named. FinanceBench's questions have gold evidence and its pages. AA-LCR's
have none, so the scores are the share of the documents that are shown in part, and how often the answer stands word by
word in what is shown. Run: python -m benchmarks.pages_and_sets (LONGDOC_REALDATA).
"""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import INTERVALS_NOTE, interval, publish, realdata, table
from pipelines.results.result import Result

SYSTEMS = (  # chunker and retriever
    ("tokens:size=200", "first"),
    ("tokens:size=200", "random"),
    ("tokens:size=200", "tfidf"),
    ("tokens:size=200", "bm25"),
    ("paragraphs:size=200", "bm25"),
    ("lines:size=60", "bm25"),
)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A task with its folder of real data, the budgets in words, and the scores of its table."""

    task: str
    title: str
    budgets: Sequence[int]
    scores: Sequence[str]


BENCHMARKS = (
    Benchmark(
        "financebench", "FinanceBench", (500, 1000, 2000, 4000), ("page_recall", "evidence_recall", "full_evidence")
    ),
    Benchmark("aa_lcr", "AA-LCR", (1000, 4000, 16000), ("document_coverage", "answer_recall")),
)


def run_without_model(benchmark: Benchmark, data: Path, folder: Path, **arguments: Any) -> Result:
    """A run that selects passages and asks no model."""
    return pipelines.run(
        benchmark.task, data=data / benchmark.task, model="none", out=folder, report=False,
        metrics=list(benchmark.scores), **arguments,
    )  # fmt: skip


def row(name: str, budget: str, result: Result, benchmark: Benchmark) -> list[str]:
    words = [prediction.shown_words or 0 for prediction in result.predictions]
    scores = [f"{result.scores[name]:.1f} {interval(result.scores.intervals.get(name))}" for name in benchmark.scores]
    return [name, budget, f"{sum(words) / len(words):,.0f}", *scores]


def benchmark_table(benchmark: Benchmark, data: Path, folder: Path) -> str:
    """The whole documents, then each system at each budget."""
    whole = run_without_model(benchmark, data, folder / "whole", chunker="whole", retriever="all")
    rows = [row("whole document", "", whole, benchmark)]
    for chunker, retriever in SYSTEMS:
        for budget in benchmark.budgets:
            place = folder / f"{chunker}-{retriever}-{budget}".replace(":", "-")
            selection = run_without_model(
                benchmark, data, place, chunker=chunker, retriever=retriever, budget=f"{budget} words"
            )
            rows.append(row(f"`{retriever}` over `{chunker}`", f"{budget:,}", selection, benchmark))
    documents = len({prediction.document for prediction in whole.predictions})
    head = ["selection", "budget", "words shown", *(score.replace("_", " ") for score in benchmark.scores)]
    return f"{benchmark.title}: {len(whole.predictions)} questions, {documents} documents.\n\n{table(head, rows)}"


def main() -> None:
    data = realdata()
    if data is None:
        sys.exit("no real examples: name their folder in LONGDOC_REALDATA")
    with tempfile.TemporaryDirectory() as place:
        tables = [benchmark_table(benchmark, data, Path(place) / benchmark.task) for benchmark in BENCHMARKS]
    publish(
        "pages_and_sets", "\n\n".join([*tables, INTERVALS_NOTE]), title="Whole documents against retrieval, by evidence"
    )


if __name__ == "__main__":
    main()
