"""Functions that the layouts share: they make documents, and check texts, lists of texts and spans."""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines import documents
from pipelines.records import Document, Span
from pipelines.sources import reading
from pipelines.sources.warnings import Warnings

NO_DOCUMENT = Document("", "")  # of examples whose document is read later
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def identity(text: str) -> str:
    """A document's id: the first 16 hexadecimal digits of the SHA-256 of its text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def document(text: str, location: str, title: str = "", meta: Mapping[str, Any] | None = None) -> Document:
    """A document. Raises `UserError` naming the row where it is empty."""
    if not text.strip():
        raise UserError(f"{location}: the document is empty; give it text, or leave the row out")
    text = clean(text)
    return Document(identity(text), text, title, meta or {})


def text_of(path: Path, warnings: Warnings) -> tuple[str, dict[str, Any]]:
    """A document file's text, and metadata such as the positions of its pages: extracted from HTML, PDF etc.

    Plain text, Markdown, LaTeX and reStructuredText are returned as they are, without positions: rows may say where in
    the file their evidence is. Raises `UserError`.
    """
    if documents.READERS.get(path.suffix.lower(), "text") in ("text", "markdown", "latex", "rst"):
        return reading.text(path), {}
    extracted = documents.read(path)
    for message in extracted.warnings:
        warnings.add(message)
    return extracted.text, extracted.meta


def check_new_id(id: str, ids: set[str]) -> None:
    """Add an example's id to `ids`. Raises `UserError` for one that occurs twice: runs are recorded by id."""
    if id in ids:
        raise UserError(f"two examples have the id {id!r}; give each an id of its own, or leave ids out")
    ids.add(id)


def clean(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which JSON allows but UTF-8 does not; offsets stay the same."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def string(value: Any, location: str, field: str) -> str:
    """A field that must be text; numbers become text, None becomes empty. Raises `UserError` for anything else."""
    if value is None:
        return ""
    if isinstance(value, bool):
        word = str(value).lower()
        raise UserError(f'{location}: {field} is {word}, not a text; write it in quotes, "{word}"')
    if not isinstance(value, (str, int, float)):
        raise UserError(f"{location}: {field} must be text, got {type(value).__name__}")
    if isinstance(value, float) and not isfinite(value):  # how NumPy and pandas write missing values
        raise UserError(f"{location}: {field} is {value}, not a text; leave the row out, or fill it in")
    return clean(str(value))


def strings(value: Any, location: str, field: str) -> tuple[str, ...]:
    """A field that is text or a list of texts; empty ones are dropped. Raises `UserError` for anything else."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        texts = [string(value, location, field) for value in value]
    else:
        texts = [string(value, location, field)]
    return tuple(text for text in texts if text.strip())


def spans(value: Any, location: str) -> Iterator[Span]:
    """A field `evidence`: a list of [start, end], or nothing. Raises `UserError` for anything else."""
    if value is None or value == "":
        return
    for span in value if isinstance(value, list) else [None]:
        if not (isinstance(span, list) and len(span) == 2 and all(type(edge) is int for edge in span)):
            raise UserError(f"{location}: evidence must be a list of [start, end], got {value!r}")
        yield span[0], span[1]
