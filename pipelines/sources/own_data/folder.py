"""A folder of documents, and next to each `name.txt` a `name.jsonl` or `name.json` with its questions.

The questions may also be in `name.questions.jsonl` (or `.json`).

A document is text, Markdown, HTML, EPUB, PDF … (`documents.READERS`). The rows are as in `rows`, without the
document: `question`, `answers` … A single document with its rows works as well.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from longdoc.errors import UserError
from longdoc.files import is_file
from pipelines import documents
from pipelines.records import Example
from pipelines.sources import parsing
from pipelines.sources.gold_evidence import Places
from pipelines.sources.own_data import rows as own_rows
from pipelines.sources.tables import Files
from pipelines.sources.warnings import Warnings

ACCEPTS = "documents (name.txt, .md, .html, .pdf …) with their questions beside them (name.jsonl: question, answers)"
SUFFIXES = tuple(documents.READERS)


def recognizes(path: Path) -> bool:
    """Whether a file's name is that of a document."""
    return path.suffix.lower() in SUFFIXES and path.stem.upper() not in ("README", "LICENSE")


def texts(folder: Path) -> list[Path]:
    """The text files of a folder, by name."""
    return sorted(path for path in folder.iterdir() if path.is_file() and recognizes(path))


def questions_file(path: Path) -> Path | None:
    """The file with the questions about a text, None if there is none."""
    for suffix in (".jsonl", ".json", ".questions.jsonl", ".questions.json"):
        if is_file(candidate := path.with_suffix(suffix)):
            return candidate
    return None


def read(paths: Sequence[Path], split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example for each row next to each text; without `has_query` one for a text alone.

    Raises `UserError` for a text that has no questions where the task asks one.
    """
    for path in paths:
        questions_path = questions_file(path)
        if questions_path is None and has_query:
            raise UserError(
                f"{path.name} has no questions; write them to {path.with_suffix('.jsonl')}, a line each, as "
                f'{{"question": "…", "answers": ["…"]}}'
            )
        text, pages = parsing.text_of(path, warnings)
        document = parsing.document(text, path.name, path.stem, pages)
        if questions_path is None:
            yield Example(path.stem, document)
            continue
        places = Places(document, warnings)
        rows = list(Files((questions_path,)).rows())
        if not rows:
            raise UserError(f"{questions_path} has no rows; write at least one, or remove it")
        for row in rows:
            yield own_rows.example_of(row, f"{path.stem}-{row.number}", has_query, warnings).located(places)
