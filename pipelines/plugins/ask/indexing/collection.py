"""Documents from any number of files and folders, joined into one."""

import os
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from chunkers import Chunk, Chunker, Layout, moved
from longdoc.languages import language_of
from pipelines.documents import location
from pipelines.documents.gutenberg import work
from pipelines.plugins.ask.answer_content import Passage, Surroundings
from pipelines.plugins.ask.quote_location import located
from pipelines.records import Document, Span
from pipelines.sources import parsing

CONTEXT = 300  # characters on each side of a passage that a page shows
TITLE, LINE = 10, 80  # words and characters at most of a first line that is taken for a title
BEGINNING = 1000  # characters in which a title is looked for
BETWEEN = "\n\n\0\n\n"  # the documents of a collection; more than white space: the ends of two are no neighbours


class Collection:
    """Documents joined into one, and where each begins."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self._languages: dict[int, str] = {}
        self.starts: list[int] = []
        start = 0
        for document in documents:
            self.starts.append(start)
            start += len(document.text) + len(BETWEEN)

    @property
    def spans(self) -> tuple[Span, ...]:
        """[start, end) of each document."""
        return tuple(
            (start, start + len(document.text)) for start, document in zip(self.starts, self.documents, strict=True)
        )

    @cached_property
    def works(self) -> tuple[Span, ...]:
        """[start, end) of each document without the licence that Project Gutenberg puts around a work."""
        inside = (work(document.text) for document in self.documents)
        return tuple((offset + start, offset + end) for offset, (start, end) in zip(self.starts, inside, strict=True))

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """The layout of each document's work."""
        return tuple(
            document.layout.within(start - offset, end - offset)
            for document, offset, (start, end) in zip(self.documents, self.starts, self.works, strict=True)
        )

    @cached_property
    def document(self) -> Document:
        """All documents joined; a single document as it is."""
        if len(self.documents) == 1:
            return self.documents[0]
        text = BETWEEN.join(document.text for document in self.documents)
        return Document(parsing.identity(text), text)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each document in a prompt: its file's path below the folder that all share, or its title."""
        paths = [document.meta.get("file") for document in self.documents]
        files = [file and os.path.abspath(file) for file in paths]  # noqa: PTH100  (links stay as they are named)
        shared = _shared_folder([file for file in files if file])
        return tuple(
            Path(os.path.relpath(file, shared)).as_posix() if file else document.title
            for file, document in zip(files, self.documents, strict=True)
        )

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The title of each document: its first line where that is one, else its file's title or name."""
        return tuple(map(_title, self.documents))

    def language(self, number: int) -> str:
        """The language of a document."""
        if number not in self._languages:
            self._languages[number] = language_of(self.documents[number].text)
        return self._languages[number]

    def texts(self, spans: Iterable[Span]) -> list[tuple[str, str]]:
        """The text of each span, and its document's language."""
        return [(self.document.text[start:end], self.language(self.number(start))) for start, end in spans]

    def number(self, position: int) -> int:
        """The number of the document that holds a position of the collection."""
        return bisect_right(self.starts, position) - 1

    def place(self, start: int, end: int) -> tuple[str, str]:
        """The name of the document that holds [start, end) of the collection, and where in it that is."""
        number = self.number(start)
        document, offset = self.documents[number], self.starts[number]
        return self.names[number], location(document.meta, document.text, start - offset, end - offset)

    def passage(
        self, start: int, end: int, score: float, answer: str, heading: Span | None, is_shown: bool = True
    ) -> Passage:
        """The passage of one document that [start, end) of the collection is; `heading` is in the collection, too."""
        number = self.number(start)
        document, offset = self.documents[number], self.starts[number]
        first, last = (place - offset for place in self.works[number])
        start, end = start - offset, end - offset
        text = document.text[start:end]
        span = located(text, answer)
        return Passage(
            text=text,
            start=start,
            end=end,
            line=document.text.count("\n", 0, start) + 1,
            score=score,
            file=document.meta.get("file"),
            location=location(document.meta, document.text, start, end),
            answer=span and (start + span[0], start + span[1]),
            heading=document.text[heading[0] - offset : heading[1] - offset] if heading else "",
            shown=is_shown,
            around=Surroundings(
                document.text[max(start - CONTEXT, first) : start],
                document.text[end : min(end + CONTEXT, last)],
                len(document.text),
            ),
        )


def _title(document: Document) -> str:
    first, _, rest = document.text[:BEGINNING].lstrip().partition("\n")
    if _is_title(first.strip(), rest.partition("\n")[0].strip(), bool(rest.strip())):
        return first.strip("# \t\r")
    file = Path(document.meta.get("file", ""))
    return file.stem.replace("_", " ") if document.title == file.name else document.title


def _is_title(first: str, second: str, continues: bool) -> bool:
    """Whether a first line is a title: short, not ended like a sentence, and apart or above a far longer line."""
    is_short = 0 < len(first) <= LINE and len(first.split()) <= TITLE and first[-1] not in ".!?,;:。！？"
    is_separate = not second or (len(second) > 2 * len(first) and not second[0].islower())
    return continues and is_short and is_separate


def _shared_folder(files: Sequence[str]) -> str:
    """The folder that all files are in; the working folder without files, or with files on several drives."""
    try:
        return os.path.commonpath([Path(file).parent for file in files])
    except ValueError:
        return os.curdir


@dataclass(slots=True)
class EachAlone(Chunker):
    """A chunker that splits each document of a collection by itself: no chunk spans two documents.

    A chunk without a label (the titles that it stands under) is labelled with its document's title, so that `links`
    follows mentions of it, and `heading=true` ranks its words.
    """

    inner: Chunker
    spans: tuple[Span, ...]
    titles: tuple[str, ...]
    layouts: tuple[Layout, ...]
    per_query: bool

    @property
    def max_input_tokens(self) -> int | None:  # type: ignore[override]
        """The inner chunker's bound on a prompt."""
        return self.inner.max_input_tokens

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of all documents, in order."""
        return [
            replace(moved(chunk, start), label=chunk.label or title or None)
            for (start, end), title, layout in zip(self.spans, self.titles, self.layouts, strict=True)
            for chunk in self.inner.split_document(text[start:end], layout, query)
        ]

    def remark(self, text: str) -> str | None:
        """What the inner chunker remarks on any of the documents, each remark once."""
        remarks = dict.fromkeys(
            self.inner.remark_document(text[start:end], layout)
            for (start, end), layout in zip(self.spans, self.layouts, strict=True)
        )
        return "; ".join(filter(None, remarks)) or None
