"""What encoders fine-tuned on HotpotQA's supporting sentences add, by themselves and as signals of `evidence_ranker`.

The questions of both files of HotpotQA, split by document, one seed, two folds that have no document of their test
splits in common: no document is in two splits (pages of Wikipedia may be). Encoders learn on the split `train` and
stop early on `validation`; rankers learn on a split of their own, so that they do not learn to trust scores of texts
that an encoder was trained on. The share of the supporting sentences'
characters among 200 selected words, the headings shown counted, by
`longdoc run hotpotqa --model none --select 200 --chunker units:of=sentence`.

Run: python -m benchmarks.evidence_tuned [FOLD [FOLDER]] (LONGDOC_REALDATA, the extra `embedded`). FOLD is 1 or 2.
FOLDER keeps the splits and the trained retrievers, so that an interrupted run resumes.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.evidence_setting import SETTINGS
from benchmarks.results import bounded, publish, realdata, table

FILES = ("hotpot_distractor_80.jsonl", "meve_hotpot_dev_distractor_100.json")
SPLITS = {"train": 60, "validation": 10, "ranker": 50, "test": 60}
LEXICAL = "bm25:heading=true,stop_words=english,stem=english"
MINILM = "dense:heading=true"
UNTRAINED = {"bm25": LEXICAL, "minilm": MINILM}
BI, CROSS = "minilm, fine-tuned", "minilm as a cross-encoder over the first 50 of bm25"
# name in the table: what is trained, and its recipe's fields
ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {
    BI: ("bi_encoder:minilm", {"learning_rate": 5e-5, "epochs": 2}),
    CROSS: ("cross_encoder:minilm", {"learning_rate": 1e-4, "epochs": 2}),
}
SIZES = ", ".join(f"{count} to {split}" for split, count in SPLITS.items())
TEXT = f"""Documents: {SIZES}, drawn at random. Fine-tuning:
`longdoc train hotpotqa --data SPLITS --model bi_encoder:minilm --set learning_rate=5e-5 --set epochs=2`, or
`--model cross_encoder:minilm --set learning_rate=1e-4 --set epochs=2`; then `--retriever FOLDER`. Rankers are
`evidence_ranker`, whose learner is chosen by cross-validation; "seconds" are those of training and of the run on the
test split.

"""


def splits(folder: Path, place: Path, fold: int) -> tuple[Path, Path]:
    """The folder of the splits for encoders, and that for rankers; a row for each document."""
    rows = []
    for name in FILES:
        text = (folder / "hotpotqa" / name).read_text(encoding="utf-8")
        file_rows = json.loads(text) if name.endswith(".json") else [json.loads(line) for line in text.splitlines()]
        rows += [{"_id": f"{len(rows) + number}", **row} for number, row in enumerate(file_rows)]
    random.Random(0).shuffle(rows)
    first = (fold - 1) * SPLITS["test"]
    rows = rows[first:] + rows[:first]
    paths = place / "splits", place / "splits-ranker"
    for split, count in SPLITS.items():
        part, rows = rows[:count], rows[count:]
        path, name = (paths[1], "train") if split == "ranker" else (paths[0], split)
        path.mkdir(parents=True, exist_ok=True)
        (path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    return paths


def measured(name: str, retriever: str, training: float | None, data: Path, place: Path) -> list[str]:
    """A row: evidence recall on the test split with its interval, and full evidence."""
    begun = time.perf_counter()
    result = pipelines.run(
        "hotpotqa", data=data, split="test", model="none", chunker="units:of=sentence", retriever=retriever,
        select=200, metrics=["evidence_recall", "full_evidence"], out=place / f"run-{name.replace(' ', '-')}",
    )  # fmt: skip
    seconds = time.perf_counter() - begun
    trained = "–" if training is None else f"{training:.0f}"
    row = [name, trained, f"{seconds:.0f}", bounded(result.folder, "evidence_recall")]
    print(row, file=sys.stderr)
    return [*row, f"{result.scores['full_evidence']:.1f}"]


def signals(folders: dict[str, Path]) -> dict[str, Sequence[Any]]:
    """The signals of each ranker: words, then with the encoders."""
    words = SETTINGS[""].signals
    bi = {"name": "dense", "model": str(folders[BI]), "heading": True}
    cross = {"name": "rerank", "model": str(folders[CROSS]), "retriever": LEXICAL, "heading": True}
    return {
        "ranker, words": words,
        "ranker, with minilm": (*words, MINILM),
        "ranker, with minilm fine-tuned": (*words, bi),
        "ranker, with the cross-encoder": (*words, cross),
        "ranker, with both": (*words, bi, cross),
    }


def text(folder: Path, place: Path, fold: int) -> str:
    """The table of a fold."""
    data, ranker_data = splits(folder, place, fold)
    rows = [measured(name, spec, None, data, place) for name, spec in UNTRAINED.items()]
    folders = {}
    for name, (model, fields) in ENCODERS.items():
        folders[name] = place / name.replace(" ", "-")
        training = pipelines.train("hotpotqa", model=model, data=data, out=folders[name], **fields)
        rows.append(measured(name, str(folders[name]), training.seconds, data, place))
    for name, members in signals(folders).items():
        out = place / name.replace(" ", "-")
        model = {"name": "evidence_ranker", "signals": list(members)}
        training = pipelines.train("hotpotqa", model=model, data=ranker_data, out=out)
        rows.append(measured(name, str(out), training.seconds, data, place))
    head = ["retriever", "seconds of training", "seconds of the run", "evidence recall", "full evidence"]
    return TEXT + table(head, rows) + "\n"


def main(fold: str = "1", keep: str = "") -> None:
    """Measure a fold."""
    folder = realdata()
    if folder is None:
        sys.exit("the real examples are missing: set LONGDOC_REALDATA to the folder with hotpotqa")
    with tempfile.TemporaryDirectory() as name:
        title = "evidence_tuned" if fold == "1" else f"evidence_tuned, fold {fold}"
        publish("evidence_tuned", text(folder, Path(keep or name), int(fold)), "" if fold == "1" else fold, title)


if __name__ == "__main__":
    main(*sys.argv[1:3])
