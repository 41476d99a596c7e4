"""A user's own rows: JSON, CSV, TSV or Parquet, one question per row.

The document is text in `document`, or a file named in `document_path` (or `story`), relative to the rows' file; HTML,
EPUB, PDF, Word and subtitles are read as `documents` reads them. Beside it: `question` or `query`; `answers`, `answer`,
`references`, `output`, `summary` or `label`, text or a list; and optionally `options`, `id`, `title`, and
`evidence`, a list of [start, end] in code points of the document; `metadata` is kept as it is. In CSV and TSV
lists are cells of JSON.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.sources import _fields
from pipelines.sources._tables import Row, Table
from pipelines.sources._warnings import Warnings

ACCEPTS = "own rows (document or document_path, question, answers)"
QUESTIONS = ("question", "query")
REFERENCES = ("answers", "answer", "references", "output", "summary", "label")


def example_of(row: Row, name: str, has_query: bool) -> Example:
    """The example of a row, still without its document; `name` is its id if it has none.

    Raises `UserError` for what is missing or malformed.
    """
    fields = row.fields
    question = next((fields[key] for key in QUESTIONS if fields.get(key) is not None), None)
    text = _fields.string(question, row.where, "question").strip()
    if has_query and not text:
        raise UserError(f"{row.where}: the row needs a question; found {', '.join(fields) or 'nothing'}")
    field = next((key for key in REFERENCES if fields.get(key) is not None), "answers")
    return Example(
        id=_fields.string(fields.get("id"), row.where, "id") or name,
        document=_fields.NO_DOCUMENT,
        query=text,
        references=_fields.strings(_value(row, field), row.where, field),
        options=_fields.strings(_value(row, "options"), row.where, "options"),
        evidence=tuple(_fields.spans(_value(row, "evidence"), row.where)),
        meta={"metadata": fields["metadata"]} if fields.get("metadata") else {},
    )


def with_document(example: Example, document: Document, where: str) -> Example:
    """The example with its document. Raises `UserError` for evidence outside of the document."""
    for start, end in example.evidence:
        if not 0 <= start < end <= len(document.text):
            length = f"{len(document.text):,} characters"
            raise UserError(f"{where}: evidence [{start}, {end}] is not within the document's {length}")
    return replace(example, document=document)


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row names a document as these rows do."""
    return isinstance(fields.get("document"), str) or "document_path" in fields or "story" in fields


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """Examples grouped by document, in the order of first occurrence. Two passes: the first keeps no texts."""
    waiting: dict[str, list[tuple[str, Example]]] = {}
    for row in table.rows():
        example = example_of(row, f"{split}-{row.number}", has_query)
        waiting.setdefault(_key(row, table), []).append((row.where, example))
    for row in table.rows():
        if examples := waiting.pop(key := _key(row, table), None):
            document = _document(row, key, warnings)
            yield from (with_document(example, document, where) for where, example in examples)


def files(table: Table) -> list[Path]:
    """The document files that the rows name, sorted."""
    paths = {path for row in table.rows() if (path := _path(row, table))}
    return sorted(paths)


def _key(row: Row, table: Table) -> str:
    path = _path(row, table)
    return str(path) if path else _fields.identity(row.fields["document"])


def _path(row: Row, table: Table) -> Path | None:
    """The document file that a row names, None if it has the text itself. Raises `UserError` if there is neither."""
    fields = row.fields
    if isinstance(fields.get("document"), str) and fields["document"].strip():
        return None
    if isinstance(fields.get("document"), str) and not (fields.get("document_path") or fields.get("story")):
        raise UserError(f"{row.where}: the document is empty")
    name = fields.get("document_path") or fields.get("story")
    if not isinstance(name, str):
        found = ", ".join(fields) or "nothing"
        raise UserError(f"{row.where}: the row needs a document (text) or a document_path (file); found {found}")
    if table.base is None and not Path(name).is_absolute():
        raise UserError(f"{row.where}: the document_path {name!r} must be absolute, since these rows are not in a file")
    path = (table.base or Path()) / name
    if len(name) > 1_000 or "\n" in name or not path.is_file():
        raise UserError(f"{row.where}: there is no file {str(path)[:200]!r} that the row names as its document")
    return path


def _document(row: Row, key: str, warnings: Warnings) -> Document:
    title = _fields.string(row.fields.get("title"), row.where, "title")
    inline = row.fields.get("document")
    if isinstance(inline, str) and inline.strip():
        return _fields.document(inline, row.where, title)
    text, places = _fields.text_of(Path(key), warnings)
    return _fields.document(text, row.where, title, places)


def _value(row: Row, field: str) -> Any:
    """A field's value; a CSV cell with a JSON list becomes that list."""
    value = row.fields.get(field)
    if row.cells and isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return plain_json.loads(value)
        except plain_json.NotJSON:  # a text that begins with a bracket
            return value
    return value
