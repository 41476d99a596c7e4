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
# Counts for the same questions, before questions, lists and comments were kept from leading.
BEFORE: Mapping[str, tuple[int, int]] = {"fitted": (107, 97), "held_out": (25, 21), "sample": (16, 14)}


@dataclass(frozen=True)
class Question:
    """A question about a file; the right sentence has one of `answers`."""

    file: Path
    text: str
    answers: Sequence[str]

    def is_led(self, answer: Answer) -> bool:
        """Whether the leading sentence is right."""
        best = answer.best_sentence
        if best is None or Path(best.file or "").name != self.file.name or word_count(best.text) > MOST:
            return False
        lead = " ".join(best.text.split())
        return any(words in lead for words in self.answers)


def questions(half: str) -> Iterator[Question]:
    """The questions of a half."""
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


def count_led(questions: Sequence[Question], folder: Path) -> tuple[int, int]:
    """How many questions have the right lead when their file alone is asked, and when the folder is."""
    file_index = cache(pipelines.index)
    folder_index = pipelines.index(folder)
    in_files = _count(questions, [file_index(question.file) for question in questions])
    return in_files, _count(questions, [folder_index] * len(questions))


def _count(questions: Sequence[Question], indices: Sequence[DocumentIndex]) -> int:
    return sum(one.is_led(index.ask(one.text)) for one, index in zip(questions, indices, strict=True))


def main() -> None:
    rows = []
    for name, set_questions, folder in (
        ("fitted", list(questions("fitted")), FOLDER / "fitted"),
        ("held_out", list(questions("held_out")), FOLDER / "held_out"),
        ("sample", list(sample()), SAMPLE),
    ):
        files, now = len({question.file for question in set_questions}), count_led(set_questions, folder)
        for place, old, new in zip(("one file", "folder"), BEFORE[name], now, strict=True):
            title, count = f"{name.replace('_', ' ')}: {place}", len(set_questions)
            rows.append([title, str(files), str(count), str(old), str(new), f"{100 * new / count:.0f} %"])
    head = ["set", "files", "questions", "before", "now", "right now"]
    publish("what_leads", f"Questions whose leading sentence is right.\n\n{table(head, rows)}")


if __name__ == "__main__":
    main()
