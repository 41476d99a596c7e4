"""What leads in `ask` without a model, over files of many kinds: contracts, minutes, logs, tables, code, letters.

The files and questions were written for this in two halves: rules and numbers were chosen on the first, and the second
was held out. A lead is right where it has the words that the right sentence has, is from the right file, and is no
longer than `MOST` words. Each question is asked of its file alone and of the folder of its half.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pipelines
from benchmarks.results import publish, table
from chunkers.shared.words import word_count
from pipelines.plugins.ask.answer import Answer
from pipelines.plugins.ask.indexing.document_index import DocumentIndex

FOLDER = Path(__file__).parent / "leads"
SAMPLE = Path(pipelines.__file__).parent / "sources" / "sample"
MOST = 60
# Of the same questions, before what asks, lists or comments stopped leading.
BEFORE: Mapping[str, tuple[int, int]] = {"fitted": (107, 97), "held_out": (25, 21), "sample": (16, 14)}


@dataclass(frozen=True)
class Question:
    """A question of a file, and the words of which the right sentence has some."""

    file: Path
    text: str
    answers: Sequence[str]

    def is_led(self, answer: Answer) -> bool:
        """Whether what leads is right."""
        best = answer.best_sentence
        if best is None or Path(best.file or "").name != self.file.name or word_count(best.text) > MOST:
            return False
        lead = " ".join(best.text.split())
        return any(words in lead for words in self.answers)


def questions(half: str) -> Iterator[Question]:
    """Those of a half."""
    for line in (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Question(FOLDER / half / row["file"], row["question"], row["answers"])


def sample() -> Iterator[Question]:
    """The questions of the bundled sample that its documents answer."""
    for file in sorted(SAMPLE.glob("*.jsonl")):
        document = next(path for path in SAMPLE.glob(f"{file.stem}.*") if path != file)
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            if row.get("evidence"):
                yield Question(document, row["question"], row["answers"])


def led(asked: Sequence[Question], folder: Path) -> tuple[int, int]:
    """How many questions have the right lead: of their file alone, and of the folder."""
    one = cache(pipelines.index)
    whole = pipelines.index(folder)
    return _count(asked, [one(question.file) for question in asked]), _count(asked, [whole] * len(asked))


def _count(asked: Sequence[Question], indices: Sequence[DocumentIndex]) -> int:
    return sum(one.is_led(index.ask(one.text)) for one, index in zip(asked, indices, strict=True))


def main() -> None:
    rows = []
    for name, asked, folder in (
        ("fitted", list(questions("fitted")), FOLDER / "fitted"),
        ("held_out", list(questions("held_out")), FOLDER / "held_out"),
        ("sample", list(sample()), SAMPLE),
    ):
        files, now = len({question.file for question in asked}), led(asked, folder)
        for place, old, new in zip(("one file", "folder"), BEFORE[name], now, strict=True):
            share = f"{100 * new / len(asked):.0f} %"
            rows.append([f"{name.replace('_', ' ')}: {place}", str(files), str(len(asked)), str(old), str(new), share])
    head = ["set", "files", "questions", "before", "now", "right now"]
    publish("what_leads", f"Questions whose leading sentence is right.\n\n{table(head, rows)}")


if __name__ == "__main__":
    main()
