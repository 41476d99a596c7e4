"""MuLD's rows, and how long texts are."""

from collections.abc import Sequence
from typing import Any

from chunkers.shared.units import unit_of
from longdoc.errors import UserError
from pipelines.builders import Row
from pipelines.records import Example
from pipelines.sources.published.boundary import REACH, boundary
from pipelines.sources.tables import Row as Read


def lengths(texts: Sequence[str], unit: str) -> list[int]:
    """How many words (of white space), characters, or tokens of a tokenizer each text has. Raises `UserError`."""
    return list(map(len, texts)) if unit == "characters" else unit_of(unit).counts(texts)


def unit_label(unit: str) -> str:
    """A unit of `lengths` for messages."""
    return unit if unit in ("words", "characters") else f"tokens of {unit}"


def muld_rows(examples: Sequence[Example]) -> list[Row]:
    """The rows of examples that share a document: the query, a space, the document; one output or a list of them.

    Where the end of a query is not clear by itself, a byte order mark begins the document in all of the rows, as in the
    published files of MuLD. Spans of evidence are in code points of `input`.
    """
    text = examples[0].document.text
    mark = "" if all(_ends_by_itself(example.query, text) for example in examples) else "\ufeff"
    return [_row(example, f"{example.query} {mark}{text}" if example.query else text) for example in examples]


def _ends_by_itself(query: str, text: str) -> bool:
    return not query or boundary(f"{query} {text[:REACH]}") == len(query)


def _row(example: Example, text: str) -> Row:
    references = list(example.references)
    output = references[0] if len(references) == 1 else references or ""
    metadata: Any = {"id": example.id, **example.meta}
    if "metadata" in example.meta:  # it is already one of MuLD's rows
        metadata = dict(example.meta["metadata"]) if example.evidence else example.meta["metadata"]
    if example.evidence:
        shift = len(text) - len(example.document.text)
        metadata["evidence"] = [[start + shift, end + shift] for start, end in example.evidence]
    return {"input": text, "output": output, "metadata": metadata}


def texts(row: Read, *names: str) -> list[str]:
    """Fields of a source's row that must be there as text. Raises `UserError` naming the first that is not."""
    values = [row.string(name) for name in names]
    for name, text in zip(names, values, strict=True):
        if not text.strip():
            fields = ", ".join(map(str, row.fields)) or "nothing"
            raise UserError(f"{row.location}: the row needs {', '.join(names)}, and has no {name}; found {fields}")
    return values


def number(value: Any, minimum: int, label: str) -> None:
    """Raise `UserError` for a field below its least value."""
    if value < minimum:
        raise UserError(f"{label} must be at least {minimum}, got {value}")
