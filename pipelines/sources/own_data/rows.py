"""A user's own rows: JSON, CSV, TSV or Parquet, one question per row.

The document is text in `document`, or a file named in `document_path` (or `story`), relative to the rows' file; HTML,
EPUB, PDF, Word and subtitles are read as `documents` reads them. Beside it: `question` or `query`; `answers`, `answer`,
`references`, `output`, `summary` or `label`, text or a list, of which the first that is not empty counts
(`own_data.row_references` has the forms, and how a row says that its question has no answer); and optionally `options`,
`id`, `title`, and `evidence`: a list of [start, end] in code points of the document, or of texts that are looked up in
it (`sources.gold_evidence` has all forms); without it, answers with their starts are the evidence; `metadata` is kept
as it is. In CSV and TSV lists are cells of JSON.

The questions of Chroma's chunking evaluation have their evidence in `references`, objects with `content`,
`start_index` and `end_index`, and no answers.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.links import check_inside
from pipelines.records import Document, Example
from pipelines.sources import gold_evidence, parsing
from pipelines.sources.gold_evidence import Gold, Places
from pipelines.sources.own_data import answer_options, row_references
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

BY_DOCUMENT = True
ACCEPTS = "own rows (document or document_path, question, answers)"
QUESTIONS = ("question", "query")
DOCUMENTS = ("document", "document_path", "story")


@dataclass(frozen=True, slots=True)
class PendingExample:
    """An example whose document is not read yet, its evidence as the row has it, and the row's location."""

    example: Example
    gold: tuple[Gold, ...]
    location: str

    def located(self, places: Places) -> Example:
        """The example with its document. Raises `UserError` for evidence outside of the document."""
        return places.located(self.example, self.gold, self.location)


def example_of(row: Row, name: str, has_query: bool, warnings: Warnings) -> PendingExample:
    """The example of a row, still without its document; `name` is its id if it has none.

    Raises `UserError` for what is missing or malformed.
    """
    fields = row.fields
    questions = (parsing.string(fields.get(key), row.location, "question").strip() for key in QUESTIONS)
    text = next(filter(None, questions), "")
    if has_query and not text:
        problem = f"{row.location}: the row needs a question; {_missing_text_reason(fields, QUESTIONS)}"
        raise UserError(
            f"{problem}. Add a field `question`, or run a task without questions, such as scrolls/gov_report"
        )
    references = {key: value for key in row_references.FIELDS if (value := _cell(row, key)) is not None}
    evidence = _cell(row, "evidence")
    if evidence is None and gold_evidence.are_quotations(references.get("references")):
        evidence = references.pop("references")
    gold = (
        gold_evidence.read(evidence, row.location)
        if evidence is not None
        else _answer_evidence(references, row.location)
    )
    options = answer_options.options_of(
        fields, {name: _cell(row, name) for name in answer_options.FIELDS}, row.location
    )
    example = Example(
        id=row.string("id") or name,
        document=parsing.NO_DOCUMENT,
        query=text,
        references=answer_options.references_of(
            row_references.references_of(fields, references, row.location, options.texts), options, row.location
        ),
        options=options.texts,
        meta={
            **({"metadata": fields["metadata"]} if fields.get("metadata") else {}),
            **answer_options.listing(options.texts),
        },
    )
    answer_options.check(example, row.location, warnings)
    return PendingExample(example, gold, row.location)


def _answer_evidence(references: Mapping[str, Any], location: str) -> tuple[Gold, ...]:
    """The evidence in the first field of answers that is not empty."""
    field = next((field for field, value in references.items() if value), "")
    return gold_evidence.answer_gold(references.get(field), location, field)


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row names a document as these rows do."""
    return isinstance(fields.get("document"), str) or "document_path" in fields or "story" in fields


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """Examples grouped by document, in the order of first occurrence. Two passes: the first keeps no texts."""
    pending_examples: dict[str, list[PendingExample]] = {}
    paths = DocumentPaths(table.base)
    for row in table.rows():
        example = example_of(row, f"{split}-{row.number}", has_query, warnings)
        pending_examples.setdefault(paths.key(row), []).append(example)
    for row in table.rows():
        if examples := pending_examples.pop(key := paths.key(row), None):
            places = Places(_document(row, key, warnings), warnings)
            yield from (example.located(places) for example in examples)


def files(table: Table) -> list[Path]:
    """The document files that the rows name, sorted."""
    paths = DocumentPaths(table.base)
    return sorted({path for row in table.rows() if (path := paths.path(row))})


class DocumentPaths:
    """The document files that rows name, below the folder `base` of their file; each name is looked up once."""

    def __init__(self, base: Path | None) -> None:
        self._base = base
        self._by_name: dict[str, Path] = {}

    def key(self, row: Row) -> str:
        """A key that is the same for rows with the same document."""
        path = self.path(row)
        return str(path) if path else parsing.identity(row.fields["document"])

    def path(self, row: Row) -> Path | None:
        """The file that a row names, None if it has the text itself. Raises `UserError` if there is neither."""
        fields = row.fields
        if isinstance(fields.get("document"), str) and fields["document"].strip():
            return None
        if isinstance(fields.get("document"), str) and not (fields.get("document_path") or fields.get("story")):
            raise UserError(f"{row.location}: the document is empty; give it text, or leave the row out")
        name = fields.get("document_path") or fields.get("story")
        if not isinstance(name, str):
            reason = _missing_text_reason(fields, DOCUMENTS)
            raise UserError(f"{row.location}: the row needs a document (text) or a document_path (file); {reason}")
        if name not in self._by_name:
            self._by_name[name] = self._checked(name, row.location)
        return self._by_name[name]

    def _checked(self, name: str, location: str) -> Path:
        if self._base is None and not Path(name).is_absolute():
            raise UserError(
                f"{location}: the document_path {name!r} must be absolute, since these rows are not in a file"
            )
        path = (self._base or Path()) / name
        if self._base is not None and not _within(self._base, path):
            problem = f"{location}: the document {name[:200]!r} is outside {self._base}"
            raise UserError(f"{problem}; put it below that folder")
        if self._base is not None:
            check_inside(path, self._base)
        if len(name) > 1_000 or "\n" in name or not path.is_file():
            raise UserError(
                f"{location}: the document {str(path)[:200]!r} does not exist; correct its name, or put it there"
            )
        return path


def _missing_text_reason(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """The reason why none of the fields has a text: the first of them is empty or not text, or none is there."""
    name = next((name for name in names if name in fields), None)
    if name is None:
        return f"found {', '.join(fields) or 'nothing'}"
    is_empty = fields[name] is None or not str(fields[name]).strip()
    return f"its {name} is {'empty' if is_empty else f'a {type(fields[name]).__name__}, not text'}"


def _within(folder: Path, path: Path) -> bool:
    """Whether a path is below a folder by its name; links are checked elsewhere."""
    return Path(os.path.abspath(path)).is_relative_to(os.path.abspath(folder))  # noqa: PTH100  (`resolve` follows links)


def _document(row: Row, key: str, warnings: Warnings) -> Document:
    title = row.string("title")
    inline = row.fields.get("document")
    if isinstance(inline, str) and inline.strip():
        return parsing.document(inline, row.location, title)
    text, meta = parsing.text_of(Path(key), warnings)
    return parsing.document(text, row.location, title, meta)


def _cell(row: Row, field: str) -> Any:
    """The value of a field; of a CSV cell with a JSON list or object, that list or object."""
    value = row.fields.get(field)
    return row_references.cell_value(field, value) if row.has_text_cells else value
