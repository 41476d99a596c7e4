"""The documents of a file of rows, each once, to ask other questions about them than the rows do."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from longdoc.errors import UserError
from pipelines import sources
from pipelines.records import Document
from pipelines.sources import split_names, tables
from pipelines.sources.layouts import layout

_NO_QUESTION = sources.DatasetInfo("", {}, "rows", {}, has_query=False, has_references=False)


def recognizes(path: Path, layouts: Sequence[str] = ("rows", "forms")) -> bool:
    """Whether a file is a table whose first row is in one of the layouts of own rows.

    Raises `UserError` for a damaged Parquet file, which is not a text either.
    """
    if not tables.is_table(path):
        return False
    try:
        first = next(tables.Files((path,)).rows(), None)
    except UserError:
        if tables.kind(path) == ".parquet":
            raise
        return False  # a text, whatever its name
    return first is not None and any(layout(name).recognizes(first.fields) for name in layouts)


def read(path: Path, warnings: list[str]) -> list[Document]:
    """The documents in the order of their first rows, with their numbers and titles as marks. Raises `UserError`."""
    data = sources.load("ask", _NO_QUESTION, path, split_names.split_of_file(path.name, "test"))
    documents = {example.document.id: example.document for example in data.examples()}
    warnings.extend(data.warnings)
    return [_located(document, number, path) for number, document in enumerate(documents.values(), 1)]


def _located(document: Document, number: int, path: Path) -> Document:
    label = f"document {number}" + (f" ({document.title})" if document.title else "")
    location = {"file": str(path), "kind": "document", "marks": ((0, label),), "lined": False}
    return replace(document, title=document.title or path.name, meta={**document.meta, **location})
