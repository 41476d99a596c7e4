"""The bundled sample: documents that are shipped with the program, and questions about them written for them.

The long document is the Python language reference as in the module `pydoc_data.topics` of Python 3.11.7 (65,580
words), in `bundled_document.txt`; its licence is beside it. Whatever Python runs, the text is the same, and so are the
scores. `narrativeqa` and `hotpotqa` have all questions about it, of one kind each.

The folder `sample` has five short documents, written for it: a contract, a manual, minutes, a report and a story, each
with its questions beside it, in the layout of one's own data. `qa` has these, and every eleventh fact about the long
document: six documents with five to seven questions each, so that intervals and differences are over documents.
"""

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Document, Example, Span
from pipelines.sources.own_data import folder
from pipelines.sources.split_names import NoSplit
from pipelines.sources.warnings import Warnings

QUESTION_KINDS = {"narrativeqa": "fact", "qa": "fact", "hotpotqa": "hops"}
SPLITS = {"narrativeqa": "test", "qa": "test", "hotpotqa": "validation"}  # the scored splits of the tasks
DOCUMENT = Path(__file__).with_name("bundled_document.txt")
QUESTIONS = Path(__file__).with_name("bundled_questions.jsonl")
SHORT_DOCUMENTS = Path(__file__).with_name("sample")


def examples(task: str) -> Iterator[Example]:
    """The sample's examples for a task: single facts for `narrativeqa` and `qa`, two hops for `hotpotqa`.

    `qa` has some of the facts, and all questions about the short documents. Raises `UserError` for other tasks.
    """
    if task not in QUESTION_KINDS:
        raise UserError(
            f"the bundled sample has no examples for {task}, only for {', '.join(QUESTION_KINDS)}; "
            f"type one of these, or give data= a file of your own"
        )
    long_examples = _about_the_long_document(QUESTION_KINDS[task])
    if task != "qa":
        yield from long_examples
        return
    yield from list(long_examples)[::11]
    yield from folder.read(folder.texts(SHORT_DOCUMENTS), SPLITS[task], Warnings([]), has_query=True)


def _about_the_long_document(kind: str) -> Iterator[Example]:
    reference = document()
    for row in questions():
        if row["kind"] == kind:
            yield Example(
                id=row["id"],
                document=reference,
                query=row["question"],
                references=tuple(row["answers"]),
                evidence=spans(reference.text, row["evidence"]),
            )


def check(task: str, split: str) -> None:
    """Raise `UserError` for a split that the sample does not have."""
    scored_split = SPLITS.get(task, split)
    if split != scored_split:
        raise NoSplit(
            f"the bundled sample has no split {split!r} of {task}, only {scored_split}; give "
            f"split={scored_split}, or leave it out"
        )


def document() -> Document:
    """The long document, Python's language reference: topics sorted by name, each below its name."""
    content = DOCUMENT.read_bytes()  # not as text, which would convert line ends
    return Document(
        id="python-reference",
        text=content.decode(),
        title="The Python Language Reference (pydoc_data.topics)",
        meta={"sha256": sha256(content).hexdigest()},
    )


def questions() -> list[dict[str, Any]]:
    """The rows of the questions file. `check` is Python code that computes `answer`, empty where there is none."""
    with QUESTIONS.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def spans(text: str, phrases: Sequence[str]) -> tuple[Span, ...]:
    """The spans of the first occurrences of the phrases, with any white space between their words; sorted.

    A phrase that is not in the text has no span.
    """
    matches = (re.search(r"\s+".join(map(re.escape, phrase.split())), text) for phrase in phrases)
    return tuple(sorted(match.span() for match in matches if match))
