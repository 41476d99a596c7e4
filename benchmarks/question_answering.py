"""Scores of a reader without weights with each retriever: NarrativeQA and HotpotQA, 200 tokens, k = 10.

On the real data if available (LONGDOC_REALDATA), else on the bundled sample. The row `all` shows every chunk: its
answer recall is an upper bound (NarrativeQA's references there are whole sentences, which occur in no book).
"""

import math
import os
import statistics
import tempfile
from pathlib import Path

import pipelines
from benchmarks.results import publish, realdata, table, use_fp32
from pipelines.results.result import Result

RETRIEVERS = ("tfidf", "bm25", "dense", "hybrid", "first", "random", "all")  # all: an upper bound
METRICS = ("answer_recall", "f1", "rouge-l")


def sources() -> list[tuple[str, str, str]]:
    """Title, task, and data of each table."""
    folder = realdata()
    if folder is None:
        return [("sample", "narrativeqa", "sample"), ("sample, hops", "hotpotqa", "sample")]
    hotpot = folder / "hotpotqa"
    return [
        ("NarrativeQA, 78 questions, 9 books and scripts", "narrativeqa", str(folder / "narrativeqa")),
        ("HotpotQA, 80 questions", "hotpotqa", str(hotpot / "hotpot_distractor_80.jsonl")),
        ("HotpotQA, 100 questions", "hotpotqa", str(hotpot / "meve_hotpot_dev_distractor_100.json")),
    ]


def row(task: str, data: str, retriever: str, k: int) -> list[str]:
    """A row of the table; its seconds are those of the whole call with empty caches, with embedding and report."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LONGDOC_CACHE"] = folder
        result = pipelines.run(
            task, data=data, retriever=retriever, k=None if retriever == "all" else k, model="extractive",
            metrics=METRICS, out=Path(folder) / "run",
        )  # fmt: skip
        scores = [f"{result.scores[name]:.2f}" for name in METRICS]
        scores[1] += f" ± {standard_error(result):.2f}"
    return [retriever, *scores, str(result.examples), f"{result.seconds:.1f}"]


def standard_error(result: Result) -> float:
    """The standard error of the mean F1 over examples, taken as independent."""
    scores = [prediction.statistics["f1"]["f1"] for prediction in result.predictions]
    return statistics.stdev(scores) / math.sqrt(len(scores))


def main() -> None:
    use_fp32()
    parts = []
    for title, task, data in sources():
        k = 10 if task == "narrativeqa" else 2  # a document of HotpotQA has about six chunks: k = 10 would select all
        rows = [row(task, data, retriever, k) for retriever in RETRIEVERS]
        parts.append(f"{title}; reader `extractive`, chunker `tokens:size=200`, k = {k}\n\n")
        parts.append(
            table(["retriever", "answer_recall", "f1 ± s.e.", "rouge-l", "examples", "seconds"], rows) + "\n\n"
        )
    publish("question_answering", "".join(parts))


if __name__ == "__main__":
    main()
