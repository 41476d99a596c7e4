"""The questions of Chroma's chunking evaluation (Smith & Troynikov 2024): `{question, references, corpus_id}`.

`references`, in the published CSV file a cell of JSON, are objects with `content`, `start_index` and `end_index`. The
corpus is a file `corpora/CORPUS_ID.md` beside the questions, as in the repository, or `CORPUS_ID.md`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.sources import gold_evidence, parsing
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "questions of the chunking evaluation (question, references, corpus_id) with its corpora beside them"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a question on a corpus."""
    return {"question", "references", "corpus_id"} <= fields.keys()


def files(table: Table) -> list[Path]:
    """The corpora that the rows name, sorted. Raises `UserError` for one that is missing."""
    return sorted({_corpus(row, table) for row in table.rows()})


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example a question, those of a corpus together."""
    corpora: dict[Path, list[Row]] = {}
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        corpora.setdefault(_corpus(row, table), []).append(row)
    for path, rows in corpora.items():
        text, _ = parsing.text_of(path, warnings)
        document = parsing.document(text, str(path), path.stem)
        places = gold_evidence.Places(document, warnings)
        for number, row in enumerate(rows, 1):
            question = row.string("question").strip()
            example = Example(f"{path.stem}-{number}", Document("", ""), question)
            yield places.located(example, gold_evidence.read(_references(row), row.location), row.location)


def _references(row: Row) -> Any:
    references = row.fields["references"]
    if not isinstance(references, str):
        return references
    try:
        return plain_json.loads(references)
    except ValueError as error:
        raise UserError(f"{row.location}: `references` must be JSON ({error})") from None


def _corpus(row: Row, table: Table) -> Path:
    """The corpus's file. Raises `UserError` naming it where it is missing."""
    name = row.string("corpus_id")
    if not name or Path(name).name != name:
        raise UserError(f"{row.location}: `corpus_id` must be the name of a corpus, got {name[:200]!r}")
    base = table.base or Path()
    places = [base / "corpora" / f"{name}.md", base / f"{name}.md"]
    path = next((path for path in places if path.is_file()), None)
    if path is None:
        raise UserError(f"{row.location}: the corpus {name!r} is missing: put it into {places[0]} or {places[1]}")
    return path
