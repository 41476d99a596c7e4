"""Text to chunks. One chunker per file; `chunkers.get("tokens", size=200).split(text)`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from longdoc.registry import Registry


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document. Invariant: `document[chunk.start:chunk.end] == chunk.text`, in Unicode code points.

    `parent` is the span of what it is part of: a sentence's paragraph, a paragraph's section. `heading` is the span of
    the heading it stands under where that is in no chunk: it is shown with the chunk.
    """

    text: str
    start: int
    end: int
    label: str | None = None  # section title, speaker, …
    parent: tuple[int, int] | None = None
    heading: tuple[int, int] | None = None


class Heading(NamedTuple):
    """A heading: start of its first line, end of its last line, level (1 is the highest), and title.

    A heading whose words are not in the text, such as one of an EPUB's table of contents, ends where it starts.
    """

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The headings and tables that a document's format declares.

    A table has one line per row, with bars around its cells; a line of dashes follows the row of column names.
    """

    headings: tuple[Heading, ...] = ()
    tables: tuple[tuple[int, int], ...] = ()

    def within(self, start: int, end: int) -> "Layout":
        """The headings and tables inside [start, end), with offsets counted from `start`."""
        headings = [heading for heading in self.headings if start <= heading.start and heading.end <= end]
        tables = [(first, last) for first, last in self.tables if start <= first and last <= end]
        return Layout(
            tuple(heading._replace(start=heading.start - start, end=heading.end - start) for heading in headings),
            tuple((first - start, last - start) for first, last in tables),
        )


def moved(chunk: Chunk, offset: int) -> Chunk:
    """The chunk with all its offsets raised by `offset`."""
    parent, heading = ((span[0] + offset, span[1] + offset) if span else None for span in (chunk.parent, chunk.heading))
    return Chunk(chunk.text, chunk.start + offset, chunk.end + offset, chunk.label, parent, heading)


class Chunker(ABC):
    """Base class of chunkers: a subclass defines `split` and overrides the attributes in which it differs.

    Attributes:
    - `per_query`: False means that a document is split once for all its questions, True that it is split for each.
    - `covers_document`: whether the chunks together contain every character but white space; not used with
      `per_query`.
    - `single_chunk`: whether the whole document is one chunk.
    - `size`: None asks the pipeline to fill this field (of a dataclass) from the reader's limit, or with 512 words
      where the reader has none; `unbounded` True asks for no bound in that case.
    - `max_input_tokens`: a bound on the prompt, in the reader's tokens, that the pipeline puts on the reader.
    - `cut_side`: what is cut where a document does not fit the prompt: its "tail", or the prompt's "middle".
    - `cut`: False means that an example whose prompt is over the reader's limit is left out, not cut.
    """

    per_query: bool = False
    covers_document: bool = True
    single_chunk: bool = False
    size: int | None = 0
    unbounded: bool = False
    max_input_tokens: int | None = None
    cut_side: Literal["tail", "middle"] = "tail"
    cut: bool = True

    @abstractmethod
    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text` in document order; an empty or white-space text has none."""

    def split_document(self, text: str, layout: Layout, query: str | None = None) -> list[Chunk]:
        """The chunks of a document with a layout.

        The same as `split` for an empty layout, and for chunkers that do not use layouts.
        """
        return self.split(text, query)

    def remark(self, text: str) -> str | None:
        """A remark for users on how `text` was split, such as missing headings; None if there is none."""
        return None

    def remark_document(self, text: str, layout: Layout) -> str | None:
        """The remark on chunks of `split_document`; None if there is none."""
        return self.remark(text)


registry: Registry[Chunker] = Registry(__name__, "chunker", contract=Chunker, example="chunker='sentences'")


def get(spec: Any, /, **fields: Any) -> Chunker:
    """The chunker for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all chunkers."""
    return registry.names()
