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
from benchmarks.results import FEWER, interval, publish, realdata, table, use_fp32
from pipelines import metrics, sources, tasks
from pipelines.display.numbers import MISSING
from pipelines.metrics import Row
from pipelines.records import Example
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.paired import paired


class Answered(NamedTuple):
    """A task with answers: its files, its reader, its score, and the words that are selected."""

    name: str
    task: str
    files: tuple[str, ...]
    reader: str
    metric: str
    score: str  # the metric's score
    budgets: tuple[int, ...]


TASKS = (
    Answered("HotpotQA", "hotpotqa", HOTPOTQA, "extractive", "f1", "f1", (100, 200, 400)),
    Answered("MuSiQue", "zero_scrolls/musique", ("musique",), "extractive", "f1_ascii", "f1_ascii", (140, 280, 560)),
    Answered(
        "QuALITY", "zero_scrolls/quality", ("quality",), "choices", "choice_accuracy", "accuracy", (300, 1000, 2000)
    ),
)
WAYS: dict[str, dict[str, Any]] = {
    "tfidf": {"chunker": "tokens:size=200", "retriever": "tfidf"},
    "best": {"retriever": "best"},
    "ceiling": {"chunker": "units:of=sentence", "retriever": "oracle:of=evidence"},
}


def examples(one: Answered, folder: Path) -> list[Example]:
    """The task's examples; a question that two files have counts once."""
    task, found = tasks.get(one.task), dict[str, Example]()
    for file in one.files:
        for example in sources.load(task.name, task.dataset, folder / file, "validation").examples():
            found.setdefault(f"{example.document.text}\n{example.query}", example)
    return list(found.values())


class Shown(NamedTuple):
    """A run's evidence recall, if there is evidence; its score, and the rows of the score's metric."""

    recall: float | None
    score: float
    rows: list[Row]


def run(one: Answered, known: Sequence[Example], way: str, budget: int) -> Shown:
    """What a run gives; its folder is not kept."""
    with tempfile.TemporaryDirectory() as folder:
        result = pipelines.run(
            one.task, data=known, model=one.reader, budget=f"{budget} words", metrics=metrics_of(one, known),
            report=False,
            out=Path(folder) / "run", **WAYS[way],
        )  # fmt: skip
        rows = [prediction.statistics[one.metric] for prediction in result.predictions]
        return Shown(result.scores.get("evidence_recall"), result.scores[one.score], rows)


def metrics_of(one: Answered, known: Sequence[Example]) -> list[str]:
    """The score, and the recall of evidence where there is some."""
    return [one.metric, *(["evidence_recall"] if any(example.evidence for example in known) else [])]


def rows(one: Answered, known: Sequence[Example]) -> list[list[str]]:
    """The rows of a task: a budget each."""
    metric, has_evidence = metrics.get(one.metric), any(example.evidence for example in known)
    documents = [example.document.id for example in known]
    found = []
    for budget in one.budgets:
        cells = [f"{one.name}, {budget:,}"]
        ways = {way: run(one, known, way, budget) for way in WAYS if way != "ceiling" or has_evidence}
        for shown in map(ways.get, WAYS):
            cells += [MISSING, MISSING] if shown is None else cells_of(shown, one, documents)
        apart = paired(metric, ways["tfidf"].rows, ways["best"].rows, documents)[one.score]
        found.append([*cells, f"{apart.value:+.2f} {interval(apart.interval)}", f"{apart.p:.4f}"])
    return found


def cells_of(shown: Shown, one: Answered, documents: Sequence[str]) -> list[str]:
    """Evidence recall, and the score with its interval."""
    bounds = interval(intervals(metrics.get(one.metric), shown.rows, documents).get(one.score))
    return [MISSING if shown.recall is None else f"{shown.recall:.1f}", f"{shown.score:.2f} {bounds}"]


def main(names: Sequence[str] = ()) -> None:
    """Measure the tasks of these names, or all."""
    use_fp32()
    folder, chosen = realdata(), [one for one in TASKS if one.name in names or not names]
    if folder is None:
        publish("evidence_answers", "Not measured: the folder of real examples is not here (LONGDOC_REALDATA).")
        return
    found = [row for one in chosen for row in rows(one, examples(one, folder))]
    head = ["task, words"]
    for way in WAYS:
        head += [f"{way}: evidence", f"{way}: score"]
    said = "; ".join(f"{one.name} `{one.reader}` by `{one.metric}`" for one in chosen)
    text = f"{said}. {FEWER} p: two-sided, by exchange of the two answers within documents.\n\n"
    publish("evidence_answers", text + table([*head, "best less tfidf", "p"], found) + "\n", shlex.join(names))


if __name__ == "__main__":
    main(sys.argv[1:])
