"""Evidence found by retrievers that were trained on HotpotQA's supporting sentences, and by the same untrained.

The questions of both files of HotpotQA, split by document: no document is in two splits (pages of Wikipedia may be).
The share of the supporting sentences' characters among 200 selected words, the headings shown counted, by
`longdoc run hotpotqa --model none --select 200 --chunker units:of=sentence`.

Run: python -m benchmarks.evidence_tuned [FOLDER] (LONGDOC_REALDATA, the extra `embedded`). FOLDER keeps the splits and
the trained retrievers, so that an interrupted run resumes.
"""

import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import bounded, publish, realdata, table

FILES = ("hotpot_distractor_80.jsonl", "meve_hotpot_dev_distractor_100.json")
SPLITS = {"train": 90, "validation": 20, "test": 70}
LEXICAL = "bm25:heading=true,stop_words=english,stem=english"
UNTRAINED = {"bm25": LEXICAL, "minilm": "dense:heading=true"}
# name in the table: what is trained, and its recipe's fields
TRAINED: dict[str, tuple[str, dict[str, Any]]] = {
    "evidence_ranker": ("evidence_ranker", {}),
    "minilm, fine-tuned": ("bi_encoder:minilm", {"learning_rate": 5e-5, "epochs": 2}),
    "minilm as a cross-encoder over bm25": ("cross_encoder:minilm", {"learning_rate": 1e-4, "epochs": 2}),
}
SIZES = ", ".join(f"{count} to {split}" for split, count in SPLITS.items())
TEXT = f"""Documents: {SIZES}, drawn at random. Fine-tuning:
`longdoc train hotpotqa --data SPLITS --model bi_encoder:minilm --set learning_rate=5e-5 --set epochs=2`, or
`--model cross_encoder:minilm --set learning_rate=1e-4 --set epochs=2`; then `--retriever FOLDER`.

"""


def splits(folder: Path, place: Path) -> Path:
    """The folder of the three splits, a row for each document."""
    path = place / "splits"
    path.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in FILES:
        text = (folder / "hotpotqa" / name).read_text(encoding="utf-8")
        found = json.loads(text) if name.endswith(".json") else [json.loads(line) for line in text.splitlines()]
        rows += [{"_id": f"{len(rows) + at}", **row} for at, row in enumerate(found)]
    random.Random(0).shuffle(rows)
    for split, count in SPLITS.items():
        part, rows = rows[:count], rows[count:]
        (path / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    return path


def recall(retriever: str, data: Path, out: Path) -> str:
    """Evidence recall on the test split, with its interval."""
    result = pipelines.run(
        "hotpotqa", data=data, split="test", model="none", chunker="units:of=sentence", retriever=retriever,
        select=200, metrics=["evidence_recall"], out=out,
    )  # fmt: skip
    return bounded(result.folder, "evidence_recall")


def text(folder: Path, place: Path) -> str:
    """The table."""
    data = splits(folder, place)
    rows = [[name, "–", recall(spec, data, place / f"run-{name}")] for name, spec in UNTRAINED.items()]
    for name, (model, fields) in TRAINED.items():
        out = place / name
        training = pipelines.train("hotpotqa", model=model, data=data, out=out, **fields)
        rows.append([name, f"{training.seconds:.0f}", recall(str(out), data, place / f"run-{name}")])
        print(rows[-1], file=sys.stderr)
    return TEXT + table(["retriever", "seconds of training", "evidence recall"], rows) + "\n"


def main(keep: Path | None = None) -> None:
    folder = realdata()
    if folder is None:
        sys.exit("the real examples are missing: set LONGDOC_REALDATA to the folder with hotpotqa")
    with tempfile.TemporaryDirectory() as name:
        publish("evidence_tuned", text(folder, keep or Path(name)))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
