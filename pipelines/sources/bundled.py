"""The bundled sample: one long document that every Python includes, and questions about it written for this project.

The document is the language reference in the standard library, module `pydoc_data.topics` (some 65,000 words). Its text
differs a little from one Python to the next, so evidence is kept as phrases and looked up in the text at hand.
"""

import json
import platform
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Document, Example, Span

KINDS = {"narrativeqa": "fact", "qa": "fact", "hotpotqa": "hops"}
SPLITS = {"narrativeqa": "test", "qa": "test", "hotpotqa": "validation"}  # the scored splits of the tasks
QUESTIONS = Path(__file__).with_name("bundled_questions.jsonl")


def examples(task: str) -> Iterator[Example]:
    """The sample's examples for a task: single facts for `narrativeqa` and `qa`, two hops for `hotpotqa`.

    Raises `UserError` for other tasks, and where this Python lacks the document.
    """
    if task not in KINDS:
        raise UserError(
            f"the bundled sample has no examples for {task}, only for {', '.join(KINDS)}; "
            f"type one of these, or give data= a file of your own"
        )
    reference = document()
    for row in questions():
        if row["kind"] == KINDS[task]:
            yield Example(
                id=row["id"],
                document=reference,
                query=row["question"],
                references=tuple(row["answers"]),
                evidence=spans(reference.text, row["evidence"]),
            )


def check(task: str, split: str) -> None:
    """Raises `UserError` for a split other than the one that the sample stands for."""
    known = SPLITS.get(task, split)
    if split != known:
        raise UserError(
            f"the bundled sample has no split {split!r} of {task}, only {known}: say split={known}, or leave it out"
        )


def document() -> Document:
    """The reference: its topics in sorted order, each below its name. Raises `UserError` where Python lacks it."""
    try:
        from pydoc_data.topics import topics
    except ModuleNotFoundError as error:
        if error.name not in {"pydoc_data", "pydoc_data.topics"}:
            raise
        raise UserError(
            "the bundled sample is read from the standard library's pydoc_data, which this Python was built without; "
            "use a complete Python, or give data= a file of your own"
        ) from None
    text = "\n\n".join(f"{name}\n\n{topics[name].rstrip()}" for name in sorted(topics))
    return Document(
        id="python-reference",
        text=text,
        title="The Python Language Reference (pydoc_data.topics)",
        meta={"python": platform.python_version(), "sha256": sha256(text.encode()).hexdigest()},
    )


def questions() -> list[dict[str, Any]]:
    """The rows of the questions file. `check` is Python code that computes `answer`, empty where there is none."""
    with QUESTIONS.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def spans(text: str, phrases: Sequence[str]) -> tuple[Span, ...]:
    """Where the phrases first stand in the text, whatever the white space between their words; sorted.

    A phrase that this Python's text does not have gives no span.
    """
    found = (re.search(r"\s+".join(map(re.escape, phrase.split())), text) for phrase in phrases)
    return tuple(sorted(match.span() for match in found if match))
