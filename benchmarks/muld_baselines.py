"""The baselines of MuLD's six tasks on the real data: what a model has to beat there.

The commonest character type is that of other films: five folds. Documents of several authors are the ones that
`benchmarks.style_change` mixes of stories. METEOR needs WordNet (`benchmarks.wordnet`).
Run: python -m benchmarks.muld_baselines (LONGDOC_REALDATA).
"""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pipelines
from benchmarks.baselines import fitted
from benchmarks.results import publish, realdata, table
from benchmarks.style_change import mixed
from benchmarks.wordnet import wordnet
from pipelines import sources
from pipelines.tasks import get

DATA = {  # within the folder of real examples
    "narrativeqa": "narrativeqa",
    "hotpotqa": "hotpotqa/hotpot_distractor_80.jsonl",
    "opensubtitles": "translation_en_de/films",
    "vlsp": "vlsp",
}
FIGURES = ("bleu-1", "bleu-4", "rouge-l", "meteor", "f1", "macro_f1", "accuracy")


def row(task: str, scores: Mapping[str, float], examples: int) -> list[str]:
    """A line of the table."""
    return [
        task,
        get(task).baseline,
        *(f"{scores[key]:.2f}" if key in scores else "–" for key in FIGURES),
        str(examples),
    ]


def baselines(folder: Path) -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory() as name:
        places = {task: folder / data for task, data in DATA.items()}
        places["style_change"] = mixed(folder, Path(name))
        for task, data in places.items():
            done = pipelines.run(task, data=data, model="baseline", out=Path(name) / f"{task}-run")
            yield row(task, done.scores, done.examples)
    task = get("character_types")
    found = list(sources.load(task.name, task.dataset, folder / "character_archetype").examples())
    yield row(task.name, fitted(task.name, found, model="baseline"), len(found))


def main() -> None:
    folder = realdata()
    if folder is None:
        raise SystemExit("benchmarks.muld_baselines needs LONGDOC_REALDATA, the folder of real examples")
    met = "" if wordnet() else " No WordNet here: METEOR is not computed."
    text = (
        "`longdoc run TASK --data FOLDER --model baseline`. The paper has no baselines; these are ours. f1: SQuAD's, "
        "by words; macro F1: over the authors 1 to 4, over the two types. Types: five folds over films, scored "
        f"together. Authors: documents mixed of stories (`benchmarks.style_change`).{met}\n\n"
    )
    head = ["task", "baseline", "BLEU-1", "BLEU-4", "ROUGE-L", "METEOR", "f1", "macro F1", "accuracy", "examples"]
    publish("muld_baselines", text + table(head, list(baselines(folder))))


if __name__ == "__main__":
    main()
