"""Who wrote which paragraph, by encoders that are fine-tuned on mixed stories; and the gain from candidates.

The documents and their splits are those of `benchmarks.style_change`.

Run: python -m benchmarks.style_tuned [FOLDER] (LONGDOC_REALDATA). FOLDER keeps the documents and the trained readers,
so that an interrupted run resumes.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import publish, realdata, table
from benchmarks.style_change import HEAD, PRUNED, pruned, run
from benchmarks.style_documents import SHORT, long, mixed
from models import get

# name in the table: reader, training arguments, and assignments (with `literal` a cross-encoder would read all pairs)
TRAINED: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "bi_encoder, fine-tuned": ("bi_encoder", {"pairs": 2_500}, ("literal", "return")),
    "cross_encoder, fine-tuned": (
        "cross_encoder:minilm,max_input_tokens=256",
        {"pairs": 2_500, "learning_rate": 1e-4, "epochs": 2},
        ("return",),
    ),
}
FEW = 6
TEXT = f"""MIX and LONG as in style_change ({SHORT}); AUC, its interval and "at chance" likewise. The best checkpoint is
chosen on validation documents, whose stories are in no training and no test document.

- fine-tuned: `longdoc train style_change --data MIX --out TRAINED --model bi_encoder --set pairs=2500`, or
  `--model cross_encoder:minilm,max_input_tokens=256 --set pairs=2500 --set learning_rate=1e-4 --set epochs=2`,
  then `longdoc run style_change --data MIX --model TRAINED --strategy pairs:ASSIGN,candidates=N`

"""


def trained(name: str, data: Path, place: Path) -> tuple[Any, str]:
    """A fine-tuned reader, and a summary of its training."""
    model, fields, _ = TRAINED[name]
    out = place / name.partition(",")[0]
    training = pipelines.train("style_change", model=model, data=data, out=out, **fields)
    best = {key: value for key, value in training.metrics.items() if key.startswith("best")}
    return get(str(out)), f"{name}: {training.metrics['steps']} steps, validation: {best}"


def text(folder: Path, place: Path) -> str:
    """The tables."""
    path, long_path = mixed(folder, place), long(folder, place)
    readers, rows, summaries = {}, [], []
    for name, (*_, ways) in TRAINED.items():
        readers[name], summary = trained(name, path, place)
        rows += [run(name, readers[name], assign, path) for assign in ways]
        summaries.append(summary)
    fast, slow = readers.values()
    candidate_rows = [
        *pruned("bi_encoder, MIX", fast, "literal", path),
        *pruned("bi_encoder, LONG", fast, "literal", long_path),
    ]
    candidate_rows += pruned(f"cross_encoder, MIX, {FEW} documents", slow, "literal", path, FEW)
    tables = f"{table(HEAD, rows)}\n\nFine-tuning: {'; '.join(summaries)}.\n\n{table(PRUNED, candidate_rows)}\n"
    return TEXT + tables


def main(keep: Path | None = None) -> None:
    folder = realdata()
    if folder is None:
        sys.exit("the real examples are missing: set LONGDOC_REALDATA to the folder with squality and narrativeqa")
    with tempfile.TemporaryDirectory() as name:
        publish("style_tuned", text(folder, keep or Path(name)))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
