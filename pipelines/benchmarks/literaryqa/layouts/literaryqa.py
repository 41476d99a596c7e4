"""LiteraryQA's books with their questions (Bonomo, Gioffré and Navigli 2025), and the books' texts.

A row is a book, `{document_id, gutenberg_id, title, qas [{question, answers}]}`. Its text is `text` where the row has
it (the hub's script adds it), else a file: `books_raw/DOCUMENT_ID.txt` as Project Gutenberg has it, of which the work
between the marks is read, or what LiteraryQA's own script wrote, `SPLIT/GUTENBERG_ID.cleaned.txt`. The folders lie
beside the file of rows, or beside its folder. Ids are the book's and the question's number in it, from 1.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.benchmarks.muld.layouts.narrativeqa import ENCODINGS
from pipelines.documents import gutenberg
from pipelines.records import Document, Example
from pipelines.sources import parsing, reading
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "LiteraryQA's books (document_id, gutenberg_id, title, qas) with their texts in books_raw/DOCUMENT_ID.txt"
CLEANED = ".cleaned.txt"  # files that need no marks
PLACES = (  # of a book's text; the first that is there counts
    "books_raw/{document_id}.txt", "books_raw/{gutenberg_id}.txt", "{document_id}.txt", "{gutenberg_id}.txt",
    "{split}/{gutenberg_id}.cleaned.txt", "literaryqa/{split}/{gutenberg_id}.cleaned.txt",
)  # fmt: skip
NAMES = ("document_id", "gutenberg_id", "split")

_NO_TEXT = "questions left out, because the text of their book is absent"
_UNMARKED = "Gutenberg's files without its marks, read whole, licence included where there is one"
_RECODED = "texts are not UTF-8 and were read as"
_REPAIRED = "texts whose UTF-8 had been taken for Latin-1, and was read as UTF-8"
_BYTE_ORDER_MARK = "ï»¿"  # UTF-8's, read as Latin-1


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a book with questions."""
    return isinstance(fields.get("qas"), list) and {"document_id", "gutenberg_id"} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """The questions of the books whose texts are there, in the order of the rows; the others are counted.

    Raises `UserError` for malformed rows, and where no book has a text.
    """
    absent: list[str] = []
    has_text = False
    for row in table.rows():
        examples = list(_examples(row))
        warnings.add_total(_NO_TEXT, len(examples))
        if (text := _text(row, table, split, warnings)) is None:
            absent.append(row.string("document_id"))
            for _ in examples:
                warnings.count(_NO_TEXT, row.string("title") or absent[-1])
            continue
        has_text = True
        document = parsing.document(text, row.location, row.string("title"), {"document_id": row.string("document_id")})
        for number, (question, references) in enumerate(examples, 1):
            yield Example(_id(row, number), document, question, references)
    if not has_text:
        problem = f"{table.name}: the texts of all {counted(len(absent), 'book')} are missing, {absent[0]} first"
        raise UserError(f"{problem}: put them into books_raw/DOCUMENT_ID.txt beside it, as Project Gutenberg has them")


def questions(table: Table, split: str) -> Iterator[Example]:
    """The questions of all books, whose documents have an id and a title and no text."""
    for row in table.rows():
        title = row.string("title")
        document = Document(row.string("document_id"), "", title)
        for number, (question, references) in enumerate(_examples(row), 1):
            yield Example(_id(row, number), document, question, references)


def files(table: Table) -> list[Path]:
    """The files with the books' texts that are there, sorted."""
    paths = (_path(row, table, "") for row in table.rows((*NAMES, "text")) if not row.fields.get("text"))
    return sorted({path for path in paths if path is not None})


def _examples(row: Row) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The questions of a row with their answers. Raises `UserError` for a malformed row."""
    if not recognizes(row.fields):
        raise row.refusal(f"expected {ACCEPTS}")
    for number, pair in enumerate(row.fields["qas"], 1):
        location = f"{row.location}, question {number}"
        if not isinstance(pair, Mapping):
            raise UserError(
                f"{location}: a question must be an object with question and answers, got {str(pair)[:60]!r}"
            )
        question = parsing.string(pair.get("question"), location, "question").strip()
        references = parsing.strings(pair.get("answers"), location, "answers")
        if not question or not references:
            raise UserError(
                f"{location}: expected a question and at least one answer; found {', '.join(pair) or 'nothing'}"
            )
        yield question, references


def _id(row: Row, number: int) -> str:
    return f"{row.string('document_id')}-{number}"


def _text(row: Row, table: Table, split: str, warnings: Warnings) -> str | None:
    """A book's text, None where there is none; of a file of Gutenberg's the work between its marks."""
    if text := row.string("text"):
        return text
    if (path := _path(row, table, split)) is None:
        return None
    text, encoding = reading.text_in(path, ENCODINGS)
    if encoding != ENCODINGS[0]:
        warnings.count(f"{_RECODED} {encoding}", path.name)
    if path.name.endswith(CLEANED):
        return text
    return _work(_repaired(text, path, warnings), path, warnings)


def _repaired(text: str, path: Path, warnings: Warnings) -> str:
    """The text as it was before its UTF-8 was read as Latin-1 and written again, which its first characters tell."""
    if not text.startswith(_BYTE_ORDER_MARK):
        return text
    try:
        repaired = text.encode("latin-1").decode("utf-8-sig")
    except UnicodeError:  # another mixture: left as it is
        return text
    warnings.count(_REPAIRED, path.name)
    return repaired


def _work(text: str, path: Path, warnings: Warnings) -> str:
    """The work between Gutenberg's marks, without the credits of those who made the file."""
    start, end = gutenberg.work(text)
    if (start, end) == (0, len(text)):
        warnings.count(_UNMARKED, path.name)
        return text.strip("\r\n")
    return text[gutenberg.after_credits(text, start) : end].strip("\r\n")


def _path(row: Row, table: Table, split: str) -> Path | None:
    """The file of a book's text, None where there is none. Raises `UserError` for an id with a folder in it."""
    if table.base is None:
        return None
    names = {name: row.string(name) for name in NAMES}
    names["split"] = names["split"] or split
    if any(name and Path(name).name != name for name in names.values()):
        raise UserError(f"{row.location}: document_id, gutenberg_id and split must be plain names, got {names}")
    places = [place.format(**names) for place in PLACES if all(names[name] for name in NAMES if f"{{{name}}}" in place)]
    paths = [folder / place for folder in (table.base, table.base.parent) for place in places]
    return next((path for path in paths if path.is_file()), None)
