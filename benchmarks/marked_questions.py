"""Questions about stories, novels, plays and scripts whose evidence was marked by hand, in `marked_questions.jsonl`.

NarrativeQA, QuALITY, SQuALITY and NoCha have no gold evidence. For the questions in the file, the passages that answer
were marked in the document: a row has the set, the question's id, the SHA-256 of the document's text and the spans, in
characters, but no text. Half of the documents are for tuning, those whose SHA-256 begins with an even number of 32
bits: the preset `narrative` was chosen on them.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pipelines import sources, tasks
from pipelines.records import Document, Example

FILE = Path(__file__).with_suffix(".jsonl")
SETS = {"narrativeqa": "narrativeqa", "quality": "scrolls/quality", "squality": "squality", "nocha": "nocha"}


def marked_questions(folder: Path, file: Path = FILE) -> Iterator[Example]:
    """The marked questions of the sets in a folder, with their evidence; without those about a text that changed."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    marks = {(row["set"], row["id"]): row for row in rows}
    for name, task_name in SETS.items():
        task = tasks.get(task_name)
        for example in sources.load(task.name, task.dataset, folder / name, "validation").examples():
            row = marks.get((name, example.id))
            if row is not None and row["sha256"] == digest(example.document):
                yield replace(example, evidence=tuple((start, end) for start, end in row["spans"]))


def digest(document: Document) -> str:
    """The SHA-256 of a document's text, in hexadecimal digits."""
    return hashlib.sha256(document.text.encode()).hexdigest()


def is_for_tuning(document: Document) -> bool:
    """Whether a document is of the half that settings are chosen on."""
    return int(digest(document)[:8], 16) % 2 == 0
