"""One natural unit a chunk: a sentence, a paragraph, or a speaker's turn."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from chunkers import Chunk, Chunker
from chunkers._boundaries import Span, check_language, clauses, lines, sentences
from chunkers._structure import Paragraph, structure
from chunkers._words import word_count

BETWEEN = " > "  # the titles of a section path
LONG = 100  # words: a longer sentence is mostly a quotation of several

_SPEAKER = re.compile(r"([^\W\d_][\w.'’()\- ]{0,39}?):\s")


@dataclass(frozen=True)
class Units(Chunker):
    """Each sentence, paragraph or turn is a chunk, however long or short it is.

    Headings are no chunks: a chunk has the span of the one it stands under (`Chunk.heading`), and is labelled with the
    titles down to it ("2 Method > 2.1 Data"). Its parent is for a sentence the paragraph, for a paragraph the section
    (None where no heading is above it). Paragraphs and headings are found by `_structure`, sentences by the rules of
    `language` (see `Sentences`); those of more than 100 words, mostly quotations, are split at the full stops inside.

    A turn begins with a line that opens with a speaker and a colon, and goes on to the next such line; its label is the
    speaker. A text without two turns is split at paragraphs, which `remark` reports.
    """

    covers_document = False  # headings are shown with what is below them

    of: Literal["sentence", "paragraph", "turn"] = "paragraph"
    language: str = "en"

    def __post_init__(self) -> None:
        check_language(self.language)

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; together with their headings they hold all but white space."""
        if self.of == "turn" and (found := turns(text)):
            return found
        blocks = structure(text)
        if self.of != "sentence":
            return [_chunk(text, (one.start, one.end), one, one.section) for one in blocks]
        return [
            _chunk(text, (one.start + start, one.start + end), one, (one.start, one.end))
            for one in blocks
            for start, end in self._sentences(text[one.start : one.end])
        ]

    def _sentences(self, paragraph: str) -> Iterator[Span]:
        for start, end in sentences(paragraph, self.language):
            if word_count(paragraph[start:end]) <= LONG:
                yield start, end
            else:
                yield from ((start + a, start + b) for a, b in clauses(paragraph[start:end]))

    def remark(self, text: str) -> str | None:
        """Whether a text has no turns."""
        return "no turns: split at paragraphs" if self.of == "turn" and not turns(text) else None


def _chunk(text: str, span: Span, paragraph: Paragraph, parent: Span | None) -> Chunk:
    label = BETWEEN.join(paragraph.path) or None
    return Chunk(text[slice(*span)], *span, label, parent, paragraph.heading)


def turns(text: str) -> list[Chunk]:
    """The turns; none where fewer than two lines open with a speaker. What comes before the first has no label."""
    found = list(_openings(text))
    if len(found) < 2:
        return []
    edges = [(0, ""), *found, (len(text), "")]
    chunks = []
    for (start, speaker), (stop, _) in pairwise(edges):
        part = text[start:stop]
        if part.strip():
            end = start + len(part.rstrip())
            start += len(part) - len(part.lstrip())
            chunks.append(Chunk(text[start:end], start, end, speaker or None))
    return chunks


def _openings(text: str) -> Iterator[tuple[int, str]]:
    """Where turns begin, with their speakers."""
    for start, end in lines(text):
        if match := _SPEAKER.match(text[start:end] + " "):
            yield start, match[1]


def in_turns(chunks: Sequence[Chunk]) -> bool:
    """Whether a document's chunks are the turns of a conversation, or parts of turns.

    It is where more than half of the parents (of the chunks, where they have none) open with a speaker and a colon.
    """
    first: dict[object, str] = {}
    for number, chunk in enumerate(chunks):
        first.setdefault(chunk.parent or number, chunk.text)
    return 2 * sum(_SPEAKER.match(text + " ") is not None for text in first.values()) > len(first)
