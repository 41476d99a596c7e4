"""One natural unit a chunk: a sentence, a paragraph, or a speaker's turn."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from chunkers import Chunk, Chunker
from chunkers.shared.boundaries import Span, check_language, clauses, sentences
from chunkers.shared.structure import Paragraph, structure
from chunkers.shared.turns import turns
from chunkers.shared.words import word_count

BETWEEN = " > "  # the titles of a section path
# "9.", "(b)", "III.", "1.2.1."; the three kinds of names exclude each other, so that nothing is tried twice
_MARK_PATTERN = re.compile(r"\W{0,3}(?:(?:\d{1,3}|[ivxIVX]{1,5}|[A-HJ-UWYZa-hj-uwyz])[.)\]:]\s*)+")
LONG = 100  # words: a longer sentence is mostly a quotation of several


@dataclass(frozen=True)
class Units(Chunker):
    """Each sentence, paragraph or turn is a chunk, however long or short it is.

    Headings are no chunks: a chunk has the span of the one it stands under (`Chunk.heading`), and is labelled with the
    titles down to it ("2 Method > 2.1 Data"). Its parent is for a sentence the paragraph, for a paragraph the section
    (None where no heading is above it). Paragraphs and headings are found by `_structure`, sentences by the rules of
    `language` (see `Sentences`); those of more than 100 words, mostly quotations, are split at the full stops inside. A
    mark ("9.") is a part of the sentence after it.

    A turn begins with a line that opens with a speaker and a colon, and goes on to the next such line; its label is the
    speaker (see `_turns`). A text that is no dialogue is split at paragraphs, which `remark` reports.
    """

    covers_document = False  # headings are shown with what is below them

    of: Literal["sentence", "paragraph", "turn"] = "paragraph"
    language: str = "en"

    def __post_init__(self) -> None:
        check_language(self.language)

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; together with their headings they hold all but white space."""
        if self.of == "turn" and (chunks := turns(text)):
            return chunks
        blocks = structure(text)
        if self.of != "sentence":
            return [_chunk(text, (block.start, block.end), block, block.section) for block in blocks]
        return [
            _chunk(text, (block.start + start, block.start + end), block, (block.start, block.end))
            for block in blocks
            for start, end in self._sentences(text[block.start : block.end])
        ]

    def _sentences(self, paragraph: str) -> Iterator[Span]:
        for start, end in _with_marks(paragraph, sentences(paragraph, self.language)):
            if word_count(paragraph[start:end]) <= LONG:
                yield start, end
            else:
                yield from ((start + a, start + b) for a, b in clauses(paragraph[start:end]))

    def remark(self, text: str) -> str | None:
        """Whether a text has no turns."""
        return "no turns: split at paragraphs" if self.of == "turn" and not turns(text) else None


def _with_marks(paragraph: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Sentences, the mark of a paragraph ("9." or "(b)") being a part of what follows it."""
    mark: int | None = None
    for start, end in spans:
        start = start if mark is None else mark
        mark = start if _MARK_PATTERN.fullmatch(paragraph[start:end]) else None
        if mark is None:
            yield start, end
    if mark is not None:
        yield mark, len(paragraph)


def _chunk(text: str, span: Span, paragraph: Paragraph, parent: Span | None) -> Chunk:
    label = BETWEEN.join(paragraph.path) or None
    return Chunk(text[slice(*span)], *span, label, parent, paragraph.heading)
