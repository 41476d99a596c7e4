"""The documents of a question: files of any form, folders of them, and `Document`s, each read once."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from textwrap import shorten
from typing import Any

from longdoc.errors import UserError, listed
from longdoc.files import expanded
from pipelines import documents
from pipelines.documents import json_values
from pipelines.records import Document
from pipelines.sources import parsing
from pipelines.sources.own_data import row_documents

Source = str | os.PathLike[str] | Document

MAX_NAMED = 5  # skipped files in a warning
PROSE = 8  # words from which a string is more likely a text than a file's name
MAX_SHOWN = 60  # characters of such a string in a message


@dataclass(slots=True)
class Reading:
    """Documents in the order given, those of a folder by path, and warnings about reading them.

    `unread` says why sources given by name could not be read; files in a folder only have a warning.
    """

    documents: list[Document] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def source_of(
    document: Source | Sequence[Source] | None, text: str | Iterable[str] | None
) -> Source | Sequence[Source]:
    """The documents to read: `document`, or one for each text. Raises `UserError` unless exactly one is given."""
    if text is None:
        if document is None:
            raise UserError("there is no document: give a file, a folder or a list of these, or a text itself as text=")
        return document
    if document is not None:
        hint = f"; if {document!r} is the question, give it as question=" if isinstance(document, str) else ""
        raise UserError(f"give either document or text=, which is the document itself{hint}")
    if isinstance(text, str):
        return parsing.document(text, "text=")
    texts = list(text) if isinstance(text, Iterable) else [text]
    for number, item in enumerate(texts, 1):
        if not isinstance(item, str):
            raise UserError(f"text= takes a text or a list of texts; text {number} is {item!r:.60}")
    numbered = [(f"text {number}", item) for number, item in enumerate(texts, 1)]
    return [parsing.document(item, name, meta={"file": name}) for name, item in numbered]


def read_documents(
    document: Source | Sequence[Source],
    cache: bool,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Reading:
    """Read what can be read; `report` is called with the numbers of files that are done, and of all.

    Raises `UserError` for a path that does not exist, and where nothing can be read.
    """
    is_single = isinstance(document, (str, os.PathLike, Document))
    sources: list[Any] = [document] if is_single else list(document)  # type: ignore[arg-type]
    if not sources:
        raise UserError("there is no document to ask: pass a file, a folder, or a list of these")
    reading = Reading()
    file_lists = [_files_of(source, reading.warnings) for source in sources]
    total, done = sum(map(len, file_lists)), 0
    documents_of_files: dict[Any, list[Document]] = {}
    for number, (source, files) in enumerate(zip(sources, file_lists, strict=True)):
        problems: list[str] = []
        for file in files:
            try:
                key = number if isinstance(file, Document) else file.resolve()
                if key not in documents_of_files:
                    documents_of_files[key] = (
                        [file] if isinstance(file, Document) else _read(file, cache, reading.warnings)
                    )
            except UserError as error:
                problems.append(str(error))
            done += 1
            report(done, total)
        if len(problems) < len(files):
            reading.warnings += [f"not read: {problem}" for problem in problems]
        else:
            reading.unread.append(_failure(source, problems))
    if not documents_of_files:
        raise UserError("; ".join([*reading.unread, *(line for line in reading.warnings if "--follow-links" in line)]))
    reading.documents = list(chain.from_iterable(documents_of_files.values()))
    reading.warnings = list(dict.fromkeys(reading.warnings))
    return reading


def _files_of(source: Any, warnings: list[str]) -> list[Path] | list[Document]:
    """The files that a path names; a `Document` as it is."""
    if isinstance(source, Document):
        return [source]
    if not isinstance(source, (str, os.PathLike)):
        raise UserError(f"a document is a path or a Document, got {type(source).__name__}")
    path = _existing(source)
    if not path.is_dir():
        return [path]
    files = documents.files(path)
    if files.others:
        warnings.append(f"skipped {_shown_paths(files.others, path)} in {path} (not a kind of file that longdoc reads)")
    if files.outward:
        advice = "if you trust them, add --follow-links (in Python: with longdoc.pipelines.follow_links(): …)"
        warnings.append(f"skipped links that lead out of {path}: {_shown_paths(files.outward, path)}; {advice}")
    return files.known


def _existing(path: str | os.PathLike[str]) -> Path:
    """The path, which must exist. Raises `UserError`; many words are taken for a document's text, not a name."""
    try:
        return documents.existing(expanded(path))
    except UserError:
        if isinstance(path, str) and ("\n" in path.strip() or len(path.split()) >= PROSE):
            begins = shorten(path, MAX_SHOWN, placeholder=" …")
            raise UserError(f"there is no file {begins!r}: in Python, give a text itself as text=") from None
        raise


def _shown_paths(files: Sequence[Path], folder: Path) -> str:
    """The first files of a list, by their paths below a folder, and how many more there are."""
    return listed((str(path.relative_to(folder)) for path in files), MAX_NAMED)


def _failure(source: Source, problems: Sequence[str]) -> str:
    """Why nothing of a source could be read."""
    if not isinstance(source, Document) and expanded(source).is_dir():
        reason = problems[0] if problems else f"longdoc reads {', '.join(documents.READERS)} and other text files"
        return f"{source} contains no document that can be read; {reason}"
    return problems[0]


def _read(path: Path, cache: bool, warnings: list[str]) -> list[Document]:
    """The document of a file; of a file of rows, such as `longdoc run qa` reads, the rows' documents."""
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
