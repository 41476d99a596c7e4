"""Rows of MuLD's layout, lengths of texts, and checks of a source's fields."""

from collections.abc import Sequence
from typing import Any

from chunkers.shared.units import unit_of
from longdoc.errors import UserError
from pipelines.plugins.builders.builder import Row
from pipelines.records import Example
from pipelines.sources.boundary import REACH, boundary
from pipelines.sources.tables import Row as SourceRow


def lengths(texts: Sequence[str], unit: str) -> list[int]:
    """The number of words (by white space), characters, or tokens of a tokenizer in each text. Raises `UserError`."""
    return list(map(len, texts)) if unit == "characters" else unit_of(unit).counts(texts)


def unit_label(unit: str) -> str:
    """The name of a unit of `lengths` in messages."""
    return unit if unit in ("words", "characters") else f"tokens of {unit}"


def muld_rows(examples: Sequence[Example]) -> list[Row]:
    """The rows of examples that share a document: the query, a space, the document; one output or a list of them.

    Where the end of a query is not clear by itself, a byte order mark begins the document in all of the rows, as in the
    published files of MuLD. Spans of evidence are in code points of `input`.
    """
    text = examples[0].document.text
    mark = "" if all(_ends_clearly(example.query, text) for example in examples) else "\ufeff"
    return [_row(example, f"{example.query} {mark}{text}" if example.query else text) for example in examples]


def _ends_clearly(query: str, text: str) -> bool:
    """Whether the end of the query is found before this text without a mark."""
    return not query or boundary(f"{query} {text[:REACH]}") == len(query)


def _row(example: Example, text: str) -> Row:
    """The row of an example whose `input` is the text, which ends with the document."""
    references = list(example.references)
    output = references[0] if len(references) == 1 else references or ""
    metadata: Any = {"id": example.id, **example.meta}
    if "metadata" in example.meta:  # it is already one of MuLD's rows
        metadata = dict(example.meta["metadata"]) if example.evidence else example.meta["metadata"]
    if example.evidence:
        shift = len(text) - len(example.document.text)
        metadata["evidence"] = [[start + shift, end + shift] for start, end in example.evidence]
    return {"input": text, "output": output, "metadata": metadata}


def texts(row: SourceRow, *names: str) -> list[str]:
    """The values of fields that a source's row must have as text. Raises `UserError` for the first that it lacks."""
    values = [row.string(name) for name in names]
    for name, text in zip(names, values, strict=True):
        if not text.strip():
            fields = ", ".join(map(str, row.fields)) or "nothing"
            raise UserError(f"{row.location}: the row needs {', '.join(names)}, and has no {name}; found {fields}")
    return values


def check_minimum(value: Any, minimum: int, label: str) -> None:
    """Raise `UserError` for a field below its minimum."""
    if value < minimum:
        raise UserError(f"{label} must be at least {minimum}, got {value}")
