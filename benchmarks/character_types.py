"""Hero or villain in the film scripts of the real data, five folds by film: `linear` compared with the majority class.

Needs LONGDOC_REALDATA: the bundled sample has no film script.
"""

import json
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import publish, realdata, table
from chunkers.shared.names import mentions
from pipelines import metrics, sources
from pipelines.records import Example
from pipelines.sources.published.character_types import LABELS
from pipelines.tasks import get

FOLDS = 5
SIZES = (512, 1536)  # words in the three windows together
MACRO_F1, ACCURACY = get("character_types").metrics


def folds(examples: Sequence[Example]) -> list[tuple[list[Example], list[Example]]]:
    """Training and test examples of each fold; every film is in one test part."""
    films = sorted({example.document.id for example in examples})
    random.Random(0).shuffle(films)
    parts = [set(films[number::FOLDS]) for number in range(FOLDS)]
    return [
        ([e for e in examples if e.document.id not in part], [e for e in examples if e.document.id in part])
        for part in parts
    ]


def write(path: Path, examples: Sequence[Example]) -> None:
    rows = [{"id": e.id, "document": e.document.text, "character": e.query, "label": e.references[0]} for e in examples]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def linear(train: Sequence[Example], test: Sequence[Example], size: int) -> dict[str, str]:
    """The predictions of a fold by id."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "train.jsonl", train)
        write(folder / "test.jsonl", test)
        result = pipelines.run(
            "character_types", data=folder, model="linear", chunker=f"mentions:size={size}", out=folder / "run"
        )
        return {prediction.id: prediction.prediction for prediction in result.predictions}


def majority(train: Sequence[Example], test: Sequence[Example]) -> dict[str, str]:
    """The most frequent label of the training part for all examples."""
    ((label, _),) = Counter(example.references[0] for example in train).most_common(1)
    return {example.id: label for example in test}


def line(name: str, examples: Sequence[Example], predicted: dict[str, str]) -> list[str]:
    """A row of the table: the predictions of all folds scored together."""
    outputs = [predicted[example.id] for example in examples]
    references = [list(example.references) for example in examples]
    scores: dict[str, Any] = {}
    for metric in (MACRO_F1, ACCURACY):
        scores |= metrics.get(metric).score(outputs, references)
    keys = ("macro_f1", *(f"f1[{label}]" for label in LABELS), "accuracy")
    return [name, *(f"{scores[key]:.2f}" if key in scores else "-" for key in keys)]


def main() -> None:
    folder = realdata()
    if folder is None:
        raise SystemExit("benchmarks.character_types needs LONGDOC_REALDATA, the folder of real examples")
    task = get("character_types")
    examples = list(sources.load(task.name, task.dataset, folder / "character_archetype").examples())
    parts = folds(examples)
    rows = [line("majority", examples, {k: v for part in parts for k, v in majority(*part).items()})]
    for size in SIZES:
        predicted = {k: v for part in parts for k, v in linear(*part, size).items()}
        rows.append(line(f"linear, mentions:size={size}", examples, predicted))
    counts = Counter(example.references[0] for example in examples)
    unmentioned = sum(not mentions(example.document.text, example.query) for example in examples)
    text = (
        f"{len(examples)} characters of {len({e.document.id for e in examples})} scripts "
        f"({', '.join(f'{label} {counts[label]}' for label in LABELS)}; never mentioned: {unmentioned}); "
        f"{FOLDS} folds by film, predictions of all folds scored together; for each fold, its rows in FOLDER, "
        f"`longdoc run character_types --data FOLDER --model linear --chunker mentions:size={SIZES[0]}`\n\n"
    )
    publish("character_types", text + table(["reader", "macro F1", *LABELS, "accuracy"], rows) + "\n")


if __name__ == "__main__":
    main()
