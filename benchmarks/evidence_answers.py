"""Whether answers follow evidence: readers without weights, shown the same number of words selected in two ways.

`tfidf` over chunks of 200 words against `best` (the task's preset of the retriever `evidence`), paired by document.
`extractive` answers in words of the passages, `choices` picks an option of QuALITY's questions. The ceiling, sentences
ranked by gold evidence, says what the reader would gain if all evidence were selected. Both readers take passages as a
set of sentences, so that their order changes nothing.
"""

import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pipelines
from benchmarks.evidence_families import HOTPOTQA
from benchmarks.results import INTERVALS_NOTE, interval, publish, realdata, table, use_fp32
from pipelines import metrics, sources, tasks
from pipelines.display.numbers import MISSING
from pipelines.metrics import Row
from pipelines.records import Example
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.paired import paired


class ReaderTask(NamedTuple):
    """A task with its files, its reader, its metric and score, and its budgets in words."""

    name: str
    task: str
    files: tuple[str, ...]
    reader: str
    metric: str
    score: str  # the metric's score
    budgets: tuple[int, ...]


TASKS = (
    ReaderTask("HotpotQA", "hotpotqa", HOTPOTQA, "extractive", "f1", "f1", (100, 200, 400)),
    ReaderTask("MuSiQue", "zero_scrolls/musique", ("musique",), "extractive", "f1_ascii", "f1_ascii", (140, 280, 560)),
    ReaderTask(
        "QuALITY", "zero_scrolls/quality", ("quality",), "choices", "choice_accuracy", "accuracy", (300, 1000, 2000)
    ),
)
WAYS: dict[str, dict[str, Any]] = {
    "tfidf": {"chunker": "tokens:size=200", "retriever": "tfidf"},
    "best": {"retriever": "best"},
    "ceiling": {"chunker": "units:of=sentence", "retriever": "oracle:of=evidence"},
}


def examples(reader_task: ReaderTask, folder: Path) -> list[Example]:
    """The task's examples; a question that two files have counts once."""
    task, by_text = tasks.get(reader_task.task), dict[str, Example]()
    for file in reader_task.files:
        for example in sources.load(task.name, task.dataset, folder / file, "validation").examples():
            by_text.setdefault(f"{example.document.text}\n{example.query}", example)
    return list(by_text.values())


class RunScores(NamedTuple):
    """A run's evidence recall (None without evidence), its score, and the rows of the score's metric."""

    recall: float | None
    score: float
    rows: list[Row]


def run(reader_task: ReaderTask, examples: Sequence[Example], way: str, budget: int) -> RunScores:
    """The scores of a run in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        result = pipelines.run(
            reader_task.task, data=examples, model=reader_task.reader, budget=f"{budget} words",
            metrics=metrics_of(reader_task, examples), report=False, out=Path(folder) / "run", **WAYS[way],
        )  # fmt: skip
        rows = [prediction.statistics[reader_task.metric] for prediction in result.predictions]
        return RunScores(result.scores.get("evidence_recall"), result.scores[reader_task.score], rows)


def metrics_of(reader_task: ReaderTask, examples: Sequence[Example]) -> list[str]:
    """The score, and the recall of evidence where there is some."""
    return [reader_task.metric, *(["evidence_recall"] if any(example.evidence for example in examples) else [])]


def rows(reader_task: ReaderTask, examples: Sequence[Example]) -> list[list[str]]:
    """A task's rows of the table, one for each budget."""
    metric, has_evidence = metrics.get(reader_task.metric), any(example.evidence for example in examples)
    documents = [example.document.id for example in examples]
    lines = []
    for budget in reader_task.budgets:
        cells = [f"{reader_task.name}, {budget:,}"]
        ways = {way: run(reader_task, examples, way, budget) for way in WAYS if way != "ceiling" or has_evidence}
        for run_scores in map(ways.get, WAYS):
            cells += [MISSING, MISSING] if run_scores is None else cells_of(run_scores, reader_task, documents)
        difference = paired(metric, ways["tfidf"].rows, ways["best"].rows, documents)[reader_task.score]
        lines.append([*cells, f"{difference.value:+.2f} {interval(difference.interval)}", f"{difference.p:.4f}"])
    return lines


def cells_of(run_scores: RunScores, reader_task: ReaderTask, documents: Sequence[str]) -> list[str]:
    """Evidence recall, and the score with its interval."""
    bounds = interval(intervals(metrics.get(reader_task.metric), run_scores.rows, documents).get(reader_task.score))
    return [MISSING if run_scores.recall is None else f"{run_scores.recall:.1f}", f"{run_scores.score:.2f} {bounds}"]


def main(names: Sequence[str] = ()) -> None:
    """Measure the tasks of these names, or all."""
    use_fp32()
    folder, reader_tasks = realdata(), [task for task in TASKS if task.name in names or not names]
    if folder is None:
        publish("evidence_answers", "Not measured: the folder of real examples is not here (LONGDOC_REALDATA).")
        return
    lines = [row for task in reader_tasks for row in rows(task, examples(task, folder))]
    head = ["task, words"]
    for way in WAYS:
        head += [f"{way}: evidence", f"{way}: score"]
    readers = "; ".join(f"{task.name} `{task.reader}` by `{task.metric}`" for task in reader_tasks)
    text = f"{readers}. {INTERVALS_NOTE} p: two-sided, by exchange of the two answers within documents.\n\n"
    publish("evidence_answers", text + table([*head, "best less tfidf", "p"], lines) + "\n", shlex.join(names))


if __name__ == "__main__":
    main(sys.argv[1:])
