"""Naive baselines of MuLD's six tasks on the real data.

The most frequent character type is that of other films: five folds. Documents by several authors are those that
`benchmarks.style_change` mixes from stories. METEOR needs WordNet (`benchmarks.wordnet`).
Run: python -m benchmarks.muld_floors (LONGDOC_REALDATA).
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pipelines
from benchmarks.floors import COUNT_HEADS, cross_validated, documents
from benchmarks.results import INTERVALS_NOTE, interval, publish, realdata, table
from benchmarks.style_change import mixed
from benchmarks.wordnet import wordnet
from pipelines import sources
from pipelines.display.numbers import MISSING
from pipelines.results.reports.content import gather
from pipelines.statistics.intervals import Interval
from pipelines.tasks import get

DATA = {  # within the folder of real examples
    "narrativeqa": "narrativeqa",
    "hotpotqa": "hotpotqa/hotpot_distractor_80.jsonl",
    "opensubtitles": "translation_en_de/films",
    "vlsp": "vlsp",
}
SCORES = ("bleu-1", "bleu-4", "rouge-l", "meteor", "f1", "macro_f1", "accuracy")


def row(task: str, scores: Mapping[str, float], intervals: Mapping[str, Interval], counts: Sequence[int]) -> list[str]:
    """A row of the table, the interval of its first score, and the counts of examples and documents."""
    first = next(key for key in SCORES if key in scores)
    cells = [f"{scores[key]:.2f}" if key in scores else MISSING for key in SCORES]
    return [task, get(task).floor, *cells, f"{first} {interval(intervals.get(first))}", *map(str, counts)]


def baselines(folder: Path) -> Iterator[list[str]]:
    """The rows of all tasks."""
    with tempfile.TemporaryDirectory() as name:
        paths = {task: folder / data for task, data in DATA.items()}
        paths["style_change"] = mixed(folder, Path(name))
        for task, data in paths.items():
            result = pipelines.run(task, data=data, model="floor", out=Path(name) / f"{task}-run")
            cell = gather(result.folder).runs[0]
            yield row(task, result.scores, cell.scores.intervals, (result.examples, result.documents))
    types = get("character_types")
    examples = list(sources.load(types.name, types.dataset, folder / "character_archetype").examples())
    scored = cross_validated(types.name, examples, model="floor")
    yield row(types.name, scored.scores, scored.intervals, (len(examples), documents(examples)))


def main() -> None:
    folder = realdata()
    if folder is None:
        raise SystemExit("benchmarks.muld_floors needs LONGDOC_REALDATA, the folder of real examples")
    meteor = "" if wordnet() else " No WordNet here: METEOR is not computed."
    text = (
        "`longdoc run TASK --data FOLDER --model floor`. The paper has no naive baselines; these are ours. f1: "
        "SQuAD's, by words; macro F1: over the authors 1 to 4, over the two types. Types: five folds over films, "
        "scored together. "
        f"Authors: documents mixed of stories (`benchmarks.style_change`).{meteor} The interval is that of the score "
        f"it names. {INTERVALS_NOTE}\n\n"
    )
    names = ["BLEU-1", "BLEU-4", "ROUGE-L", "METEOR", "f1", "macro F1", "accuracy"]
    head = ["task", "baseline", *names, "interval", *COUNT_HEADS]
    publish("muld_floors", text + table(head, list(baselines(folder))))


if __name__ == "__main__":
    main()
