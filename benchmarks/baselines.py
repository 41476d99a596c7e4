"""The baselines of SCROLLS and ZeroSCROLLS on the real data, and readers without weights that stand above them.

What is fitted is fitted on other documents: five folds over the documents of each set. Needs LONGDOC_REALDATA.
"""

import json
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import publish, realdata, table
from pipelines import metrics, sources
from pipelines.records import Document, Example
from pipelines.tasks import get

FOLDS = 5
REVIEWS, PERMUTATIONS = 50, 4  # a hotel, a book: as in ZeroSCROLLS
PLACE = re.compile(r"\b(?:chapter|act|scene|book)s? [\dIVXLC]+", re.IGNORECASE)
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


def examples(name: str, folder: Path) -> list[Example]:
    """A task's examples; those of QuALITY in ZeroSCROLLS have letters for golds, and options in the query."""
    if name == "zero_scrolls/space_digest":
        return list(hotels(folder / "reviews.jsonl"))
    if name == "zero_scrolls/book_sum_sort":
        return list(books(folder))
    task = get(name)
    found = list(sources.load(task.name, task.dataset, folder, task.split).examples())
    if name != "zero_scrolls/quality":
        return found
    listed = {e.id: "\n".join(f"({x}) {o}" for x, o in zip("ABCD", e.options, strict=True)) for e in found}
    return [replace(e, query=f"{e.query}\n\n{listed[e.id]}", references=(e.meta["gold"],)) for e in found]


def hotels(file: Path) -> Iterator[Example]:
    """As many sets of reviews as each hotel has; the document's meta says which hotel."""
    rated = [row for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if row["rating"] != 3]
    for hotel, group in groupby(sorted(rated, key=lambda row: str(row["hotel"])), key=lambda row: row["hotel"]):
        rows = list(group)
        random.Random(hotel).shuffle(rows)
        for number in range(len(rows) // REVIEWS):
            some = rows[number * REVIEWS : (number + 1) * REVIEWS]
            text = "\n\n".join(f"Review {i}:\n{row['text']}" for i, row in enumerate(some, 1))
            share = 100 * sum(row["rating"] > 3 for row in some) // REVIEWS
            yield Example(f"{hotel}-{number}", Document(f"{hotel}-{number}", text), references=(f"{share}%",))


def books(folder: Path) -> Iterator[Example]:
    """Four shuffled lists of each book's summaries, what names a chapter taken out."""
    for book in sorted(path for path in folder.glob("*/*") if path.is_dir()):
        files = {tuple(map(int, re.findall(r"\d+", path.name))): path for path in book.glob("section_*_part_*.txt")}
        summaries = [PLACE.sub("This part", json.loads(files[key].read_text())["summary"]) for key in sorted(files)]
        for number in range(PERMUTATIONS):
            order = list(range(len(summaries)))
            random.Random(f"{book.name}:{number}").shuffle(order)
            text = "\n\n".join(f"Summary {i}:\n{summaries[place]}" for i, place in enumerate(order, 1))
            gold = ", ".join(str(order.index(place) + 1) for place in range(len(order)))
            name = f"{book.parent.name}-{book.name}-{number}"
            yield Example(name, Document(name, text), references=(gold,))


def folds(found: Sequence[Example]) -> Iterator[tuple[list[Example], list[Example]]]:
    """Training and scored examples, every document scored once."""
    documents = list(dict.fromkeys(example.document.id for example in found))
    random.Random(0).shuffle(documents)
    for number in range(min(FOLDS, len(documents))):
        part = set(documents[number::FOLDS])
        yield [e for e in found if e.document.id not in part], [e for e in found if e.document.id in part]


def write(path: Path, found: Sequence[Example]) -> None:
    rows = [
        {"id": e.id, "document": e.document.text, "answers": list(e.references)}
        | ({"question": e.query} if e.query else {})
        | ({"options": list(e.options)} if e.options and "\n".join(e.options) not in e.query else {})
        for e in found
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def fitted(task: str, found: Sequence[Example], **recipe: Any) -> dict[str, float]:
    """The scores of all folds' predictions together."""
    said: dict[str, str] = {}
    for train, scored in folds(found):
        with tempfile.TemporaryDirectory() as name:
            write(Path(name) / "train.jsonl", train)
            write(Path(name) / "validation.jsonl", scored)
            done = pipelines.run(task, data=name, split="validation", out=Path(name) / "run", **recipe)
            said |= {one.id: one.prediction for one in done.predictions}
    return score(task, found, said)


def plain(task: str, found: Sequence[Example], **recipe: Any) -> dict[str, float]:
    """The scores of one run, nothing fitted."""
    with tempfile.TemporaryDirectory() as name:
        done = pipelines.run(task, data=found, out=Path(name) / "run", **recipe)
        return score(task, found, {one.id: one.prediction for one in done.predictions})


def share(file: Path, found: Sequence[Example], model: str) -> dict[str, float]:
    """Reviews of each hotel classified by a reader that learned from the other hotels' ratings."""
    rated = [row for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if row["rating"] != 3]
    said: dict[str, str] = {}
    for hotel in sorted({row["hotel"] for row in rated}):
        others = [row for row in rated if row["hotel"] != hotel]
        rows = [{"document": r["text"], "label": "positive" if r["rating"] > 3 else "negative"} for r in others]
        mine = [example for example in found if example.id.startswith(f"{hotel}-")]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            pipelines.train("classify", model=model, data=folder / "train.jsonl", out=folder / "reader")
            recipe = {"model": str(folder / "reader"), "strategy": "share", "chunker": "numbered", "retriever": "all"}
            done = pipelines.run("zero_scrolls/space_digest", data=mine, out=folder / "run", **recipe)
            said |= {one.id: one.prediction for one in done.predictions}
    return score("zero_scrolls/space_digest", found, said)


def score(task: str, found: Sequence[Example], said: dict[str, str]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name in get(task).metrics:
        metric = metrics.get(name)
        if metric.target == "prediction":
            figures |= metric.score([said[e.id] for e in found], [e.references for e in found])
    return figures


def shown(task: str, figures: dict[str, float]) -> str:
    if task.startswith("scrolls/") and "rouge1" in figures:
        return " / ".join(f"{figures[key]:.1f}" for key in ("rouge1", "rouge2", "rougeL"))
    key = "geometric_mean" if "geometric_mean" in figures else next(iter(figures))
    return f"{figures[key]:.1f}"


def baselines(folder: Path) -> Iterator[list[str]]:
    for task, (name, published) in SETS.items():
        found = examples(task, folder / name)
        how = fitted if task.startswith("scrolls/") else plain
        yield [task, get(task).baseline, shown(task, how(task, found, model="baseline")), published, str(len(found))]


def above(folder: Path) -> Iterator[list[str]]:
    """Readers that need nothing downloaded, by task family."""
    two = {"retriever": "tfidf", "chunker": "tokens:size=200"}
    task = "scrolls/quality"
    found = examples(task, folder / "quality")
    yield [task, "tfidf k=10 → choices", shown(task, plain(task, found, model="choices", **two)), str(len(found))]
    task = "scrolls/contract_nli"
    found = examples(task, folder / "contract_nli")
    recipe = {"model": CLASSIFIER, "strategy": "label", "chunker": "sentences:size=100", "retriever": "tfidf"}
    yield [task, f"tfidf k=10 → label → {CLASSIFIER}", shown(task, fitted(task, found, **recipe)), str(len(found))]
    task = "zero_scrolls/space_digest"
    found = examples(task, folder / "space_digest")
    for model in ("linear", "linear:balanced=false"):
        figures = share(folder / "space_digest" / "reviews.jsonl", found, model)
        yield [task, f"numbered → share → {model}", shown(task, figures), str(len(found))]
    task = "zero_scrolls/book_sum_sort"
    found = examples(task, folder / "booksum_sort")
    yield [task, "order", shown(task, plain(task, found, model="order", chunker="whole")), str(len(found))]


def people(folder: Path, metric: str) -> float:
    """What one SQuALITY reference scores against the others."""
    squality = {"data": folder / "squality", "split": "validation", "metrics": metric}
    return pipelines.agreement("zero_scrolls/squality", **squality).scores["geometric_mean"]


def main() -> None:
    folder = realdata()
    if folder is None:
        raise SystemExit("benchmarks.baselines needs LONGDOC_REALDATA, the folder of real examples")
    text = (
        "Baselines; the papers' figures are of the test splits (SCROLLS: ROUGE-1 / 2 / L; ZeroSCROLLS: geometric "
        "mean). `longdoc run TASK --data FOLDER --model baseline`; what is fitted is so on the rows of a fold in "
        "FOLDER\n\n"
    )
    text += table(["task", "baseline", "here", "paper", "examples"], list(baselines(folder)))
    text += "\n\nReaders without weights: `longdoc run TASK --data FOLDER` with the components of the recipe\n\n"
    text += table(["task", "recipe", "here", "examples"], list(above(folder)))
    plain, stemmed = (people(folder, metric) for metric in ("rouge", "rouge:stemming=true"))
    text += f"\n\nOne SQuALITY reference against the others: {plain:.1f}, stemmed {stemmed:.1f} (paper, stemmed: 23.6)"
    publish("baselines", text)


if __name__ == "__main__":
    main()
