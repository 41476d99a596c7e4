"""NoCha's claims: `{book_title, claim, type, index}`, the two of a pair with one `index` (Karpinska et al. 2024).

The text of a book is a file beside the claims: the one in a row's `file`, else `book_title` with any ending of a
document. The published texts are a pickle, which is code, and is never loaded.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines import documents
from pipelines.records import Example
from pipelines.sources import parsing
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

BY_DOCUMENT = True
ACCEPTS = "NoCha's claims (book_title, claim, type, index) with the books' texts beside them"
FIELDS = ("book_title", "claim", "type", "index")
LABELS = ("TRUE", "FALSE")
PAIR = "pair"  # in an example's meta: what the two claims of a pair have in common
PICKLE = "the published texts are a pickle, which is code and never loaded: save each book as BOOK_TITLE.txt"

_UNPAIRED = "claims without the other of their pair"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a claim."""
    return set(FIELDS) <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per claim, a book's claims together, in the order of first occurrence."""
    books: dict[Path, list[Row]] = {}
    for row, path in _claims(table):
        books.setdefault(path, []).append(row)
    for path, rows in books.items():
        text, places = parsing.text_of(path, warnings)
        document = parsing.document(text, str(path), title(rows[0].fields), places)
        examples = [claim(row, document) for row in rows]
        yield from examples
        count_lone(examples, warnings)


def files(table: Table) -> list[Path]:
    """The texts of the books, sorted. Raises `UserError` for those that are missing."""
    return sorted({path for _, path in _claims(table)})


def claim(row: Row, document: Any) -> Example:
    """The example of a claim; its id is index and label ("148-true"). Raises `UserError` for a malformed row."""
    fields = row.fields
    _check(row)
    query = row.string("claim").strip()
    index, label = row.string("index"), str(fields["type"]).strip().upper()
    if label not in LABELS:
        raise UserError(f"{row.location}: the type of a claim must be true or false, got {fields['type']!r}")
    return Example(f"{index}-{label.lower()}", document, query, (label,), meta={PAIR: f"{title(fields)} {index}"})


def title(fields: Mapping[str, Any]) -> str:
    """The name of a claim's book."""
    return str(fields["book_title"])


def count_lone(examples: list[Example], warnings: Warnings) -> None:
    """Count the claims of a book whose pair lacks the other claim: pair accuracy does not count them."""
    pairs: dict[str, list[Example]] = {}
    for example in examples:
        pairs.setdefault(example.meta[PAIR], []).append(example)
    for members in pairs.values():
        if len(members) < len(LABELS):
            warnings.count(_UNPAIRED, members[0].id)


def _check(row: Row) -> None:
    """Raise `UserError` for a row that is not a claim."""
    if any(row.fields.get(name) in (None, "") for name in FIELDS):
        columns = ", ".join(name for name, value in row.fields.items() if value not in (None, ""))
        raise UserError(f"{row.location}: a claim of NoCha needs {', '.join(FIELDS)}; found {columns or 'nothing'}")


def _claims(table: Table) -> Iterator[tuple[Row, Path]]:
    """The claims with the files of their books. Raises `UserError` that names all missing ones."""
    claims = []
    for row in table.rows((*FIELDS, "file")):
        _check(row)
        claims.append((row, _text_file(row, table)))
    missing = sorted({title(row.fields) for row, path in claims if path is None})
    if missing:
        problem = f"{table.name}: the text of {counted(len(missing), 'book')} is missing: {', '.join(missing[:5])}"
        raise UserError(f"{problem}{' …' if len(missing) > 5 else ''} (.txt beside the claims); {PICKLE}")
    yield from ((row, path) for row, path in claims if path is not None)


def _text_file(row: Row, table: Table) -> Path | None:
    """The file of a claim's book, None where there is none."""
    if table.base is None:
        raise UserError(f"{table.name}: pass the path of the file of claims, which has the books' texts beside it")
    file = row.fields.get("file")
    names = [str(file)] if file else [f"{title(row.fields)}{suffix}" for suffix in documents.READERS]
    if any(Path(name).name != name for name in names):
        raise UserError(f"{row.location}: file must be the name of a file beside the claims, got {names[0]!r}")
    return next((path for name in names if (path := table.base / name).is_file()), None)
