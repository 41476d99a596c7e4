"""The naive baselines of SCROLLS and ZeroSCROLLS on the real data, and readers without weights that beat them.

Readers are fitted on other documents: five folds over the documents of each data set. Needs LONGDOC_REALDATA.
"""

import json
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pipelines
from benchmarks.results import INTERVALS_NOTE, interval, publish, realdata, table
from pipelines import metrics, sources
from pipelines.records import Document, Example
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.intervals import Interval
from pipelines.tasks import get

FOLDS = 5
REVIEWS, PERMUTATIONS = 50, 4  # per hotel, per book: as in ZeroSCROLLS
COUNT_HEADS = ("examples", "documents")  # the heads of the last columns
SECTION = re.compile(r"\b(?:chapter|act|scene|book)s? [\dIVXLC]+", re.IGNORECASE)
CLASSIFIER = "linear:letters=0,words=1,query=true,balanced=false,strength=10"
SETS = {  # the folder of each task, the paper's baseline (SCROLLS, table 2; ZeroSCROLLS, table 3: test splits)
    "scrolls/gov_report": ("gov_report", "45.3 / 17.9 / 20.8"),
    "scrolls/summ_screen_fd": ("summ_screen", "19.6 / 1.8 / 11.0"),
    "scrolls/qmsum": ("qmsum", "14.2 / 2.0 / 9.3"),
    "scrolls/qasper": ("qasper", "3.4"),
    "scrolls/narrative_qa": ("narrativeqa", "1.5"),
    "scrolls/quality": ("quality", "25.2"),
    "scrolls/contract_nli": ("contract_nli", "66.0"),
    "zero_scrolls/gov_report": ("gov_report", "22.6"),
    "zero_scrolls/summ_screen_fd": ("summ_screen", "6.7"),
    "zero_scrolls/qmsum": ("qmsum", "6.7"),
    "zero_scrolls/squality": ("squality/dev.jsonl", "10.5"),
    "zero_scrolls/qasper": ("qasper", "6.1"),
    "zero_scrolls/narrative_qa": ("narrativeqa", "2.1"),
    "zero_scrolls/quality": ("quality", "26.6"),
    "zero_scrolls/musique": ("musique", "20.0"),
    "zero_scrolls/space_digest": ("space_digest", "45.0"),
    "zero_scrolls/book_sum_sort": ("booksum_sort", "50.0"),
}


class TaskScores(NamedTuple):
    """Scores by name, and the interval of each that has one."""

    scores: dict[str, float]
    intervals: dict[str, Interval]


def examples(name: str, folder: Path) -> list[Example]:
    """A task's examples; those of QuALITY in ZeroSCROLLS have letters as references, and options in the query."""
    if name == "zero_scrolls/space_digest":
        return list(hotels(folder / "reviews.jsonl"))
    if name == "zero_scrolls/book_sum_sort":
        return list(books(folder))
    task = get(name)
    loaded = list(sources.load(task.name, task.dataset, folder, task.split).examples())
    if name != "zero_scrolls/quality":
        return loaded
    options = {e.id: "\n".join(f"({x}) {o}" for x, o in zip("ABCD", e.options, strict=True)) for e in loaded}
    return [replace(e, query=f"{e.query}\n\n{options[e.id]}", references=(e.meta["gold"],)) for e in loaded]


def hotels(file: Path) -> Iterator[Example]:
    """Examples of `REVIEWS` reviews of a hotel, as many as its reviews allow; ids start with the hotel."""
    rated = [row for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if row["rating"] != 3]
    for hotel, group in groupby(sorted(rated, key=lambda row: str(row["hotel"])), key=lambda row: row["hotel"]):
        rows = list(group)
        random.Random(hotel).shuffle(rows)
        for number in range(len(rows) // REVIEWS):
            reviews = rows[number * REVIEWS : (number + 1) * REVIEWS]
            text = "\n\n".join(f"Review {i}:\n{row['text']}" for i, row in enumerate(reviews, 1))
            share = 100 * sum(row["rating"] > 3 for row in reviews) // REVIEWS
            yield Example(f"{hotel}-{number}", Document(f"{hotel}-{number}", text), references=(f"{share}%",))


def books(folder: Path) -> Iterator[Example]:
    """Four shuffled lists of each book's summaries, with names of chapters removed."""
    for book in sorted(path for path in folder.glob("*/*") if path.is_dir()):
        files = {tuple(map(int, re.findall(r"\d+", path.name))): path for path in book.glob("section_*_part_*.txt")}
        summaries = [SECTION.sub("This part", json.loads(files[key].read_text())["summary"]) for key in sorted(files)]
        for number in range(PERMUTATIONS):
            order = list(range(len(summaries)))
            random.Random(f"{book.name}:{number}").shuffle(order)
            text = "\n\n".join(f"Summary {i}:\n{summaries[position]}" for i, position in enumerate(order, 1))
            gold = ", ".join(str(order.index(position) + 1) for position in range(len(order)))
            name = f"{book.parent.name}-{book.name}-{number}"
            yield Example(name, Document(name, text), references=(gold,))


def folds(examples: Sequence[Example]) -> Iterator[tuple[list[Example], list[Example]]]:
    """Training and test examples of each fold; every document is in one test part."""
    documents = list(dict.fromkeys(example.document.id for example in examples))
    random.Random(0).shuffle(documents)
    for number in range(min(FOLDS, len(documents))):
        part = set(documents[number::FOLDS])
        yield [e for e in examples if e.document.id not in part], [e for e in examples if e.document.id in part]


def write(path: Path, examples: Sequence[Example]) -> None:
    rows = [
        {"id": e.id, "document": e.document.text, "answers": list(e.references)}
        | ({"question": e.query} if e.query else {})
        | ({"options": list(e.options)} if e.options and "\n".join(e.options) not in e.query else {})
        for e in examples
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def cross_validated(task: str, examples: Sequence[Example], **recipe: Any) -> TaskScores:
    """The scores of all folds' predictions together."""
    outputs: dict[str, str] = {}
    for train, test in folds(examples):
        with tempfile.TemporaryDirectory() as name:
            write(Path(name) / "train.jsonl", train)
            write(Path(name) / "validation.jsonl", test)
            result = pipelines.run(task, data=name, split="validation", out=Path(name) / "run", **recipe)
            outputs |= {one.id: one.prediction for one in result.predictions}
    return score(task, examples, outputs)


def unfitted(task: str, examples: Sequence[Example], **recipe: Any) -> TaskScores:
    """The scores of one run of a reader that is not fitted."""
    with tempfile.TemporaryDirectory() as name:
        result = pipelines.run(task, data=examples, out=Path(name) / "run", **recipe)
        return score(task, examples, {one.id: one.prediction for one in result.predictions})


def share(file: Path, examples: Sequence[Example], model: str) -> TaskScores:
    """The scores of a reader that classifies each hotel's reviews, trained on the ratings of the other hotels."""
    rated = [row for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if row["rating"] != 3]
    outputs: dict[str, str] = {}
    for hotel in sorted({row["hotel"] for row in rated}):
        others = [row for row in rated if row["hotel"] != hotel]
        rows = [{"document": r["text"], "label": "positive" if r["rating"] > 3 else "negative"} for r in others]
        own = [example for example in examples if example.id.startswith(f"{hotel}-")]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            pipelines.train("classify", model=model, data=folder / "train.jsonl", out=folder / "reader")
            recipe = {"model": str(folder / "reader"), "strategy": "share", "chunker": "numbered", "retriever": "all"}
            result = pipelines.run("zero_scrolls/space_digest", data=own, out=folder / "run", **recipe)
            outputs |= {one.id: one.prediction for one in result.predictions}
    return score("zero_scrolls/space_digest", examples, outputs)


def score(task: str, examples: Sequence[Example], outputs: dict[str, str]) -> TaskScores:
    """The scores of outputs by id, with their intervals over documents."""
    task_scores = TaskScores({}, {})
    for name in get(task).metrics:
        metric = metrics.get(name)
        if metric.target == "prediction":
            metric.prepare()
            bare = metrics.examples([outputs[e.id] for e in examples], [e.references for e in examples])
            rows = [metric.statistics(outputs[e.id], one) for e, one in zip(examples, bare, strict=True)]
            task_scores.scores.update(metric.aggregate(rows))
            task_scores.intervals.update(intervals(metric, rows, [origin(task, e) for e in examples]))
    return task_scores


def origin(task: str, example: Example) -> str:
    """The document of an example; its hotel or book, where several documents are made of one."""
    is_grouped = task in ("zero_scrolls/space_digest", "zero_scrolls/book_sum_sort")
    return example.document.id.rpartition("-")[0] if is_grouped else example.document.id


def documents(examples: Sequence[Example], task: str = "") -> int:
    """How many documents, hotels or books there are."""
    return len({origin(task, example) for example in examples})


def score_cells(task: str, task_scores: TaskScores) -> list[str]:
    """The task's score as text with its interval: the three ROUGEs for SCROLLS, else the benchmark's single score."""
    if task.startswith("scrolls/") and "rouge1" in task_scores.scores:
        keys: Sequence[str] = ("rouge1", "rouge2", "rougeL")
    else:
        keys = ["geometric_mean" if "geometric_mean" in task_scores.scores else next(iter(task_scores.scores))]
    bounds = " / ".join(interval(task_scores.intervals.get(key)) for key in keys)
    return [" / ".join(f"{task_scores.scores[key]:.1f}" for key in keys), bounds]


def counts(task: str, examples: Sequence[Example]) -> list[str]:
    """The numbers of examples and of documents."""
    return [str(len(examples)), str(documents(examples, task))]


def baselines(folder: Path) -> Iterator[list[str]]:
    """Rows of the naive baselines."""
    for task, (name, published) in SETS.items():
        loaded = examples(task, folder / name)
        evaluate = cross_validated if task.startswith("scrolls/") else unfitted
        cells = score_cells(task, evaluate(task, loaded, model="floor"))
        yield [task, get(task).floor, *cells, published, *counts(task, loaded)]


def better_readers(folder: Path) -> Iterator[list[str]]:
    """Rows of readers that beat the baselines and need no download."""
    retrieval = {"retriever": "tfidf", "chunker": "tokens:size=200"}
    task = "scrolls/quality"
    loaded = examples(task, folder / "quality")
    scores = unfitted(task, loaded, model="choices", **retrieval)
    yield [task, "tfidf k=10 → choices", *score_cells(task, scores), *counts(task, loaded)]
    task = "scrolls/contract_nli"
    loaded = examples(task, folder / "contract_nli")
    recipe = {"model": CLASSIFIER, "strategy": "label", "chunker": "sentences:size=100", "retriever": "tfidf"}
    scores = cross_validated(task, loaded, **recipe)
    yield [task, f"tfidf k=10 → label → {CLASSIFIER}", *score_cells(task, scores), *counts(task, loaded)]
    task = "zero_scrolls/space_digest"
    loaded = examples(task, folder / "space_digest")
    for model in ("linear", "linear:balanced=false"):
        scores = share(folder / "space_digest" / "reviews.jsonl", loaded, model)
        yield [task, f"numbered → share → {model}", *score_cells(task, scores), *counts(task, loaded)]
    task = "zero_scrolls/book_sum_sort"
    loaded = examples(task, folder / "booksum_sort")
    scores = unfitted(task, loaded, model="order", chunker="whole")
    yield [task, "order", *score_cells(task, scores), *counts(task, loaded)]


def human_score(folder: Path, metric: str) -> float:
    """The score of one SQuALITY reference against the others."""
    squality = {"data": folder / "squality", "split": "validation", "metrics": metric}
    return pipelines.agreement("zero_scrolls/squality", **squality).scores["geometric_mean"]


def main() -> None:
    folder = realdata()
    if folder is None:
        raise SystemExit("benchmarks.floors needs LONGDOC_REALDATA, the folder of real examples")
    text = (
        "Naive baselines; the papers' scores are of the test splits (SCROLLS: ROUGE-1 / 2 / L; ZeroSCROLLS: geometric "
        "mean). `longdoc run TASK --data FOLDER --model floor`; FOLDER has the rows of one fold where the baseline is "
        f"fitted. {INTERVALS_NOTE} Documents are hotels for space_digest and books for book_sum_sort: several examples "
        "are made of each.\n\n"
    )
    text += table(["task", "baseline", "here", "interval", "paper", *COUNT_HEADS], list(baselines(folder)))
    text += "\n\nReaders without weights: `longdoc run TASK --data FOLDER` with the components of the recipe\n\n"
    text += table(["task", "recipe", "here", "interval", *COUNT_HEADS], list(better_readers(folder)))
    unstemmed, stemmed = (human_score(folder, metric) for metric in ("rouge", "rouge:stemming=true"))
    text += f"\n\nOne SQuALITY reference against the others: {unstemmed:.1f}, "
    text += f"stemmed {stemmed:.1f} (paper, stemmed: 23.6)"
    publish("floors", text)


if __name__ == "__main__":
    main()
