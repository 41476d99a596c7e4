"""One natural unit a chunk: a sentence, a paragraph, or a speaker's turn."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from chunkers import Chunk, Chunker, Layout
from chunkers.shared.boundaries import Span, check_language, clauses, lines, paragraphs, sentences_of_blocks
from chunkers.shared.packing import FULL_ROWS, rows_of, with_column_names
from chunkers.shared.structure import Paragraph, structure
from chunkers.shared.turns import turns
from chunkers.shared.words import has_letters_alone, word_count

BETWEEN = " > "  # the titles of a section path
# "9.", "(b)", "III.", "1.2.1."; the three kinds of names exclude each other, so that nothing is tried twice
_MARK = re.compile(r"\W{0,3}(?:(?:\d{1,3}|[ivxIVX]{1,5}|[A-HJ-UWYZa-hj-uwyz])[.)\]:]\s*)+")
LONG = 100  # words: a longer sentence is mostly a quotation of several
ONE_LINE = 500  # words: a longer text of one paragraph has lost its paragraphs


@dataclass(frozen=True)
class Units(Chunker):
    """Each sentence, paragraph or turn is a chunk, however long or short it is.

    Headings are no chunks: a chunk has the span of the one it stands under (`Chunk.heading`), and is labelled with the
    titles down to it ("2 Method > 2.1 Data"). Its parent is for a sentence the paragraph, for a paragraph the section
    (None where no heading is above it). Paragraphs and headings are found by `_structure`, sentences by the rules of
    `language` (see `Sentences`); those of more than 100 words, mostly quotations, are split at the full stops inside,
    and a table or list without any at its lines. A mark ("9.") is a part of the sentence after it. A text of one
    paragraph, of more than 500 words, has lost its paragraphs: it is split at sentences, which `remark` reports.

    A turn begins with a line that opens with a speaker and a colon, and goes on to the next such line; its label is the
    speaker (see `_turns`). A text that is no dialogue is split at paragraphs, which `remark` reports.
    """

    covers_document = False  # headings are shown with what is below them

    of: Literal["sentence", "paragraph", "turn"] = "paragraph"
    language: str = "en"

    def __post_init__(self) -> None:
        check_language(self.language)

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; with their headings they contain all of it but white space."""
        return self.split_document(text, Layout(), query)

    def split_document(self, text: str, layout: Layout, query: str | None = None) -> list[Chunk]:
        """The chunks under the headings in `layout`, or if it has none, under those found in `text`."""
        if self.of == "turn" and (chunks := turns(text)):
            return chunks
        blocks = structure(text, layout.headings)
        if self.of != "sentence" and not _has_lost_paragraphs(text, blocks):
            return [_chunk(text, block) for block in blocks]
        return with_column_names(text, list(self._sentences(text, blocks, layout)), layout)

    def _sentences(self, text: str, blocks: Sequence[Paragraph], layout: Layout) -> Iterator[Chunk]:
        short = LONG if has_letters_alone(text) else 2 * LONG  # characters, which have no more words than LONG
        spans = [(block.start, block.end) for block in blocks]
        bodies = [_body(text, span) for span in spans] if layout.headings else spans
        sentences: Iterable[list[Span]] = sentences_of_blocks(text, bodies, self.language)
        if layout.tables:
            sentences = (rows_of(text, found, FULL_ROWS) for found in sentences)
        for block, span, body, block_sentences in zip(blocks, spans, bodies, sentences, strict=True):
            label, heading = _label(block), block.heading
            for start, end in _with_marks(text, block_sentences, body[1]):
                end = block.end if end == body[1] else end
                if end - start <= short:
                    yield Chunk(text[start:end], start, end, label, span, heading)
                else:
                    for a, b in _parts(text[start:end]):
                        yield Chunk(text[start + a : start + b], start + a, start + b, label, span, heading)

    def remark(self, text: str) -> str | None:
        """The remark that a text has no turns or no paragraphs; None if it has."""
        return self.remark_document(text, Layout())

    def remark_document(self, text: str, layout: Layout) -> str | None:
        """The remark that a document with this layout has no turns or no paragraphs; None if it has."""
        if self.of == "sentence" or (self.of == "turn" and turns(text)):
            return None
        if _has_lost_paragraphs(text, structure(text, layout.headings)):
            return "no paragraphs: split at sentences"
        return "no turns: split at paragraphs" if self.of == "turn" else None


def _has_lost_paragraphs(text: str, blocks: Sequence[Paragraph]) -> bool:
    return len(blocks) == 1 and word_count(text) > ONE_LINE


def _parts(sentence: str) -> list[Span]:
    """The parts of a sentence over `LONG` words: split at full stops inside it, and a table or list at its lines."""
    if word_count(sentence) <= LONG:
        return [(0, len(sentence))]
    return [(start + a, start + b) for start, end in clauses(sentence) for a, b in _rows(sentence[start:end])]


def _rows(sentence: str) -> list[Span]:
    """The lines of a long sentence that is a table or list (few lines begin with a small letter); else the whole."""
    if word_count(sentence) <= LONG:
        return [(0, len(sentence))]
    spans = lines(sentence)
    lowercase_count = sum(sentence[start].islower() for start, _ in spans[1:])
    if 2 * lowercase_count >= len(spans) - 1:
        return [(0, len(sentence))]
    return spans


def _body(text: str, block: Span) -> Span:
    """The span of a block without headings at its end, which are joined to its last sentence."""
    inner = paragraphs(text[slice(*block)])
    return (block[0], block[0] + inner[0][1]) if len(inner) > 1 else block


def _with_marks(text: str, spans: Iterable[Span], stop: int) -> Iterator[Span]:
    """The sentences of a paragraph that ends at `stop`, with marks ("9.", "(b)") joined to the sentence after them."""
    mark: int | None = None
    for start, end in spans:
        start = start if mark is None else mark
        mark = start if _MARK.fullmatch(text, start, end) else None
        if mark is None:
            yield start, end
    if mark is not None:
        yield mark, stop


def _chunk(text: str, block: Paragraph) -> Chunk:
    return Chunk(text[block.start : block.end], block.start, block.end, _label(block), block.section, block.heading)


def _label(block: Paragraph) -> str | None:
    return BETWEEN.join(block.path) or None
