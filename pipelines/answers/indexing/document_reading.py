"""The documents of a question: files of any form, folders of them, and `Document`s, each read once."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any

from longdoc.errors import UserError
from longdoc.folders import expanded
from pipelines import documents
from pipelines.documents import json_values
from pipelines.records import Document
from pipelines.sources import parsing
from pipelines.sources.own_data import row_documents

Source = str | os.PathLike[str] | Document

MAX_NAMED = 5  # skipped files in a warning
PROSE = 8  # words of what is more likely a text than a file's name
MAX_SHOWN = 60  # characters of such a text in a message


@dataclass(slots=True)
class Reading:
    """Documents in the order given, those of a folder by path, and warnings about reading them.

    `unread` says why what was given by name could not be read; what a folder holds is only warned of.
    """

    documents: list[Document] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def source_of(document: Source | Sequence[Source] | None, text: str | None) -> Source | Sequence[Source]:
    """What was given as the document or as its text. Raises `UserError` unless it is exactly one of the two."""
    if text is None:
        if document is None:
            raise UserError("there is no document: give a file, a folder or a list of these, or its text, text=")
        return document
    if document is not None:
        question = f": is {document!r} the question? then question=" if isinstance(document, str) else ""
        raise UserError(f"document and text= cannot be given together: text= is the document{question}")
    if not isinstance(text, str):
        raise UserError(
            f"text= is the text of one document, got {type(text).__name__}; several are a list of Documents"
        )
    return parsing.document(text, "text=")


def read_documents(
    document: Source | Sequence[Source],
    cache: bool,
    told_function: Callable[[int, int], None] = lambda done, total: None,
) -> Reading:
    """Read what can be read; `told_function` is called with the numbers of files that are done, and of all.

    Raises `UserError` for a path that does not exist, and where nothing can be read.
    """
    single = isinstance(document, (str, os.PathLike, Document))
    documents: list[Any] = [document] if single else list(document)  # type: ignore[arg-type]
    if not documents:
        raise UserError("there is no document to ask: pass a file, a folder, or a list of these")
    reading = Reading()
    listed = [_listed(value, reading.warnings) for value in documents]
    total, done = sum(map(len, listed)), 0
    texts: dict[Any, list[Document]] = {}
    for number, (value, files) in enumerate(zip(documents, listed, strict=True)):
        problems: list[str] = []
        for file in files:
            try:
                key = number if isinstance(file, Document) else file.resolve()
                if key not in texts:
                    texts[key] = [file] if isinstance(file, Document) else _read(file, cache, reading.warnings)
            except UserError as error:
                problems.append(str(error))
            done += 1
            told_function(done, total)
        if len(problems) < len(files):
            reading.warnings += [f"not read: {problem}" for problem in problems]
        else:
            reading.unread.append(_why_text(value, problems))
    if not texts:
        raise UserError("; ".join([*reading.unread, *(line for line in reading.warnings if "--follow-links" in line)]))
    reading.documents = [text for texts in texts.values() for text in texts]
    reading.warnings = list(dict.fromkeys(reading.warnings))
    return reading


def _listed(given_value: Any, warnings: list[str]) -> list[Path] | list[Document]:
    """The files that a path stands for."""
    if isinstance(given_value, Document):
        return [given_value]
    if not isinstance(given_value, (str, os.PathLike)):
        raise UserError(f"a document is a path or a Document, got {type(given_value).__name__}")
    path = _existing(given_value)
    if not path.is_dir():
        return [path]
    files = documents.files(path)
    if files.others:
        warnings.append(f"skipped {_named_text(files.others, path)} in {path} (not a kind of file that longdoc reads)")
    if files.outward:
        trusted_text = "if you trust them, add --follow-links (in Python: with longdoc.follow_links(): …)"
        warnings.append(f"not read, links that lead out of {path}: {_named_text(files.outward, path)}; {trusted_text}")
    return files.known


def _existing(path: str | os.PathLike[str]) -> Path:
    """A path that exists. Raises `UserError`, which takes many words for a document's text and not for a name."""
    try:
        return documents.existing(expanded(path))
    except UserError:
        if isinstance(path, str) and ("\n" in path.strip() or len(path.split()) >= PROSE):
            begins = shorten(path, MAX_SHOWN, placeholder=" …")
            raise UserError(f"{begins!r} is no file: in Python, text= takes a document's text itself") from None
        raise


def _named_text(files: Sequence[Path], folder: Path) -> str:
    names = ", ".join(str(path.relative_to(folder)) for path in files[:MAX_NAMED])
    return names + (f" and {len(files) - MAX_NAMED} more" if len(files) > MAX_NAMED else "")


def _why_text(source: Source, problems: Sequence[str]) -> str:
    """Why nothing of what was given could be read."""
    if not isinstance(source, Document) and expanded(source).is_dir():
        reason = problems[0] if problems else f"longdoc reads {', '.join(documents.READERS)} and other text files"
        return f"{source} holds no document that can be read; {reason}"
    return problems[0]


def _read(path: Path, cache: bool, warnings: list[str]) -> list[Document]:
    """The text of a file; of a file of rows, as `longdoc run qa` reads them, the texts that they are about."""
    if row_documents.recognizes(path):
        try:
            return row_documents.read(path, warnings)
        except UserError:
            if row_documents.recognizes(path, ("rows",)) or not json_values.is_export(path):
                raise  # else it has a field of a well-known data set, and is none: a chat has `messages`, too
    text = documents.read(path, cache)
    warnings.extend(text.warnings)
    meta = {"file": str(path), **text.meta}
    return [parsing.document(text.text, path.name, text.title or path.name, meta)]
