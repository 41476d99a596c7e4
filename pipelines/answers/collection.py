"""The documents of a question, of any number of files and folders, as one."""

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from chunkers import Chunk, Chunker, moved
from longdoc.errors import UserError
from pipelines import documents
from pipelines.answers.answer import Passage
from pipelines.answers.located import located
from pipelines.records import Document, Span
from pipelines.sources import _fields

Source = str | os.PathLike[str] | Document

BETWEEN = "\n\n\0\n\n"  # the documents of a collection; more than white space: the ends of two are no neighbours
NAMED = 5  # files of other forms in a warning


class Collection:
    """Documents joined into one, and where each begins."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.starts: list[int] = []
        start = 0
        for one in documents:
            self.starts.append(start)
            start += len(one.text) + len(BETWEEN)

    @property
    def spans(self) -> tuple[Span, ...]:
        """[start, end) of each document."""
        return tuple((start, start + len(one.text)) for start, one in zip(self.starts, self.documents, strict=True))

    @cached_property
    def document(self) -> Document:
        """All as one; a single document is itself."""
        if len(self.documents) == 1:
            return self.documents[0]
        text = BETWEEN.join(one.text for one in self.documents)
        return Document(_fields.identity(text), text)

    def passage(self, start: int, end: int, score: float, answer: str, heading: Span | None) -> Passage:
        """The passage of one document that [start, end) of the collection is; `heading` is in the collection, too."""
        number = bisect_right(self.starts, start) - 1
        one, offset = self.documents[number], self.starts[number]
        start, end = start - offset, end - offset
        text = one.text[start:end]
        found = located(text, answer)
        return Passage(
            text=text,
            start=start,
            end=end,
            line=one.text.count("\n", 0, start) + 1,
            score=score,
            file=one.meta.get("file"),
            location=documents.location(one.meta, one.text, start, end),
            answer=found and (start + found[0], start + found[1]),
            heading=one.text[heading[0] - offset : heading[1] - offset] if heading else "",
        )


@dataclass(slots=True)
class EachAlone(Chunker):
    """A chunker that splits each document of a collection by itself: no chunk spans two documents."""

    inner: Chunker
    spans: tuple[Span, ...]
    per_query: bool

    @property
    def max_input_tokens(self) -> int | None:  # type: ignore[override]
        """The inner chunker's bound on a prompt."""
        return self.inner.max_input_tokens

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of all documents, in order."""
        return [moved(chunk, start) for start, end in self.spans for chunk in self.inner.split(text[start:end], query)]

    def remark(self, text: str) -> str | None:
        """What the inner chunker remarks on any of the documents, each remark once."""
        remarks = dict.fromkeys(self.inner.remark(text[start:end]) for start, end in self.spans)
        return "; ".join(filter(None, remarks)) or None


def collected(document: Source | Sequence[Source], cache: bool) -> tuple[list[Document], list[str]]:
    """The documents in the order given, each file once, and warnings about reading them."""
    single = isinstance(document, (str, os.PathLike, Document))
    given: list[Any] = [document] if single else list(document)  # type: ignore[arg-type]
    if not given:
        raise UserError("there is no document to ask: pass a file, a folder, or a list of these")
    warnings: list[str] = []
    found: dict[Any, Document] = {}
    for number, one in enumerate(given):
        if isinstance(one, Document):
            found[number] = one
            continue
        if not isinstance(one, (str, os.PathLike)):
            raise UserError(f"a document is a path or a Document, got {type(one).__name__}")
        path = Path(one).expanduser()
        read = _folder(path, cache, warnings) if path.is_dir() else _file(path, cache, warnings)
        for file, text in read:
            found.setdefault(file.resolve(), text)
    return list(found.values()), list(dict.fromkeys(warnings))


def _folder(folder: Path, cache: bool, warnings: list[str]) -> Iterator[tuple[Path, Document]]:
    """Raises `UserError` where nothing below the folder can be read."""
    known, others = documents.files(folder)
    if others:
        names = ", ".join(str(path.relative_to(folder)) for path in others[:NAMED])
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        warnings.append(f"not read, of other forms: {names}{more} (in {folder})")
    some = False
    problems = []
    for path in known:
        try:
            yield from _file(path, cache, warnings)
            some = True
        except UserError as error:
            problems.append(f"not read: {error}")
    warnings.extend(problems)
    if not some:
        why = problems[0].removeprefix("not read: ") if problems else f"forms: {', '.join(documents.READERS)}"
        raise UserError(f"{folder} holds no document that can be read; {why}")


def _file(path: Path, cache: bool, warnings: list[str]) -> Iterator[tuple[Path, Document]]:
    text = documents.read(path, cache)
    warnings.extend(text.warnings)
    meta = {"file": str(path), **text.meta}
    yield path, _fields.document(text.text, path.name, text.title or path.name, meta)
