"""Sections by their headings: all of them, or a thesis from its introduction on (MuLD, section 4)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

from chunkers import Chunk, Heading, Layout
from chunkers.shared.boundaries import Span, clauses, lines, paragraphs, sentences
from chunkers.shared.headings import headings as headings_of
from chunkers.shared.packing import CountingChunker, Find, check_size, in_rows, pack, with_column_names
from chunkers.shared.units import Unit, unit_of
from chunkers.shared.words import word_count
from longdoc.errors import UserError

SIZE = 512  # words, where neither the user nor the pipeline gives a size
SHORT = 16  # the most words that a heading has

_NUMBER = re.compile(
    r"^(?:(?:chapter|part|appendix|section)\s+\S+|\d+(?:\.\d+)*|[ivxlc]+|[a-h](?:\.\d+)+)(?:[.:)]\s*|\s+|$)",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(r"(?:general |thesis )?introduct(?:ion|ory)\b", re.IGNORECASE)
_FIRST_CHAPTER = re.compile(r"(?:chapter\s+)?(?:1|I|one)\b", re.IGNORECASE)
_LATER_CHAPTER = re.compile(r"(?:chapter\s+)?(?:[2-9]|1\d|II|III|IV|VI?)\b", re.IGNORECASE)
_EXCLUDED_TITLE = re.compile(
    r"(?:table of )?contents|lists? of \w+.*|abbreviations|acronyms|nomenclature|index|abstract|declaration|"
    r"acknowledg(?:e?ments?|ing)|dedication|references|bibliography|literature cited|works cited",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its text. `parts` are the spans between its own subheadings."""

    title: str | None
    parts: tuple[Span, ...]


@dataclass(frozen=True)
class Sections(CountingChunker):
    """One chunk per section, its label the section's heading: one that the document's format declares, or `_headings`.

    `level` is the deepest level of heading that starts a section (1: chapters; None: every heading does). A section of
    more than `size` tokens (`unit`: see `Tokens`) is split between its lower headings, then its paragraphs, sentences,
    and where it must be between tokens; its chunks share the label. A heading without text joins the next section,
    under that one's heading. `size` None is the reader's limit in a pipeline (no bound where it has none), else 512
    words.

    What comes before the first heading is a chunk without a label, and nothing is left out. With `keep` "body", for
    theses and papers, the first chunk is the first introduction: what comes before it is left out. An introduction
    counts if it is of the first level, or if no second chapter comes before it, and never in the second half of the
    text. Without any, the first section is the first chunk, unless most of the text comes before it: then that is kept,
    without a label. Also left out are contents, lists (of tables, figures, symbols …), abbreviations, the index, and
    sections that say nothing of the subject or give away the answer: abstract, declaration, acknowledgements,
    references.

    A text without headings, or only with headings of left-out sections, is split at its paragraphs, without labels;
    `remark` reports this, a missing introduction, and how much is left out. Raises `UserError` for a size or level
    below 1, or a unit that cannot be loaded.
    """

    unbounded = True  # a reader without a limit reads sections whole

    size: int | None = None
    unit: Any = "words"
    level: int | None = None
    keep: Literal["all", "body"] = "all"
    _unit: Unit = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_size(SIZE if self.size is None else self.size)
        if self.level is not None and self.level < 1:
            raise UserError(f"level must be 1 (chapters) or more, or left out; got {self.level}")
        object.__setattr__(self, "_unit", unit_of(self.unit))

    @property
    def covers_document(self) -> bool:  # type: ignore[override]
        """Whether the chunks contain the whole document, which holds for `keep` "all"."""
        return self.keep == "all"

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; no chunk counts more than `size` when tokenized by itself."""
        return self.split_document(text, Layout(), query)

    def split_document(self, text: str, layout: Layout, query: str | None = None) -> list[Chunk]:
        """The sections below the headings in `layout`; if it has none, below those found in `text`."""
        blocks = paragraphs if len(paragraphs(text)) > 1 else lines
        kept_sections = self._sections(text, headings_of(text, layout.headings))
        if not kept_sections:
            return self._chunks(text, None, blocks(text), (), layout)
        split_blocks = partial(_with_top_headings, blocks)
        return [
            chunk
            for section in kept_sections
            for chunk in self._chunks(text, section.title, section.parts, (split_blocks,), layout)
        ]

    def remark(self, text: str) -> str | None:
        """Whether `text` has no headings or introduction, what is left out, and the unit's remark; None if nothing."""
        return self.remark_document(text, Layout())

    def remark_document(self, text: str, layout: Layout) -> str | None:
        """The remark on a document with this layout; None if there is none."""
        all_headings = headings_of(text, layout.headings)
        kept_sections = self._sections(text, all_headings)
        remark = None if kept_sections else "no headings: split at paragraphs"
        if self.keep == "body" and kept_sections:
            remark = _join_remarks(
                _start_remark(text, all_headings, kept_sections), _excluded_remark(text, kept_sections)
            )
        return _join_remarks(remark, super().remark(text))

    def _sections(self, text: str, headings: Sequence[Heading]) -> list[Section]:
        return body(text, headings, self.level) if self.keep == "body" else sections(text, headings, self.level)

    def _chunks(
        self, text: str, title: str | None, spans: Sequence[Span], splitters: Sequence[Find], layout: Layout
    ) -> list[Chunk]:
        all_splitters: list[Find] = [*splitters, in_rows(sentences, layout), clauses]
        packed = pack(text, spans, SIZE if self.size is None else self.size, self._unit, all_splitters)
        return with_column_names(text, [Chunk(text[start:end], start, end, title) for start, end in packed], layout)


def sections(text: str, headings: Sequence[Heading], level: int | None = None) -> list[Section]:
    """All sections in order, with the text before the first heading; empty where there are no headings."""
    if not headings:
        return []
    drafts = [(heading.level, _draft(text, heading, stop)) for heading, stop in _with_stops(text, headings)]
    preamble, merged = _preamble(text, headings), _merge_drafts(drafts, level)
    if preamble and len(merged) == 1 and merged[0].is_headings_only:  # nothing but headings follows
        return [Section(None, ((preamble[0].parts[0][0], merged[0].parts[-1][1]),))]
    return [*preamble, *(Section(draft.title, draft.parts) for draft in merged)]


def body(text: str, headings: Sequence[Heading], level: int | None = None) -> list[Section]:
    """The sections of a thesis that are kept, in order; empty where there are no headings."""
    if not headings:
        return []
    first = _introduction_index(headings, len(text))
    keeps_preamble = first is None and headings[0].start > len(text) / 2
    runs: list[list[tuple[int, _Draft]]] = [[]]  # separated by the sections that are left out
    for heading, stop in _with_stops(text, headings)[first or 0 :]:
        if _EXCLUDED_TITLE.fullmatch(_without_number(heading.title)):
            runs.append([])
        else:
            runs[-1].append((heading.level, _draft(text, heading, stop)))
    merged = [draft for run in runs for draft in _merge_drafts(run, level)]
    return [
        *(_preamble(text, headings) if keeps_preamble else ()),
        *(Section(draft.title, draft.parts) for draft in merged),
    ]


def _with_stops(text: str, headings: Sequence[Heading]) -> list[tuple[Heading, int]]:
    """Each heading, and where the next begins."""
    return list(zip(headings, [*(heading.start for heading in headings[1:]), len(text)], strict=True))


def _preamble(text: str, headings: Sequence[Heading]) -> list[Section]:
    """The text before the first heading as an untitled section; empty where there is none."""
    start, end = _stripped(text, 0, headings[0].start)
    return [Section(None, ((start, end),))] if start < end else []


def _merge_drafts(drafts: Sequence[tuple[int, "_Draft"]], level: int | None) -> list["_Draft"]:
    """Merge sections deeper than `level` into the one before, and headings without text into the one after."""
    merged: list[_Draft] = []
    for depth, draft in drafts:
        if merged and level is not None and depth > level:
            merged[-1] = merged[-1].merged_with(draft, merged[-1].title)
        elif merged and merged[-1].is_headings_only:
            merged[-1] = merged[-1].merged_with(draft, draft.title)
        else:
            merged.append(draft)
    return _merge_last_headings(merged)


def _join_remarks(*remarks: str | None) -> str | None:
    return "; ".join(filter(None, remarks)) or None


def _start_remark(text: str, headings: Sequence[Heading], kept_sections: Sequence[Section]) -> str | None:
    """The remark that a text has no introduction; None if it has one."""
    if _introduction_index(headings, len(text)) is not None:
        return None
    return f"no introduction: starts at {repr(kept_sections[0].title) if kept_sections[0].title else 'the top'}"


def _excluded_remark(text: str, kept_sections: Sequence[Section]) -> str | None:
    """The remark on how much is left out, in steps of ten percent so that few remarks differ; None for nothing."""
    words = word_count(text)
    excluded = words - sum(word_count(text[start:end]) for section in kept_sections for start, end in section.parts)
    if excluded <= 0:
        return None
    tens = 10 * (10 * excluded // words)
    return f"{tens}–{tens + 10}% of the words left out: what is before the introduction, references and lists"


class _Draft(NamedTuple):
    title: str
    parts: tuple[Span, ...]
    has_text: bool  # the last part is more than headings

    @property
    def is_headings_only(self) -> bool:
        """Whether it has headings but no text."""
        return len(self.parts) == 1 and not self.has_text

    def merged_with(self, other: "_Draft", title: str) -> "_Draft":
        """This draft and the next as one; headings without text are joined to the next part."""
        if self.has_text:
            return _Draft(title, self.parts + other.parts, other.has_text)
        joint = (self.parts[-1][0], other.parts[0][1])
        return _Draft(title, (*self.parts[:-1], joint, *other.parts[1:]), other.has_text)


def _draft(text: str, heading: Heading, stop: int) -> _Draft:
    start, end = _stripped(text, heading.start, stop)
    return _Draft(heading.title, ((start, end),), end > heading.end)


def _stripped(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _merge_last_headings(drafts: list[_Draft]) -> list[_Draft]:
    """Merge headings without text at the end into the section before."""
    if len(drafts) > 1 and drafts[-1].is_headings_only:
        *others, before, last = drafts
        return [*others, before.merged_with(last, before.title)]
    return drafts


def _introduction_index(headings: Sequence[Heading], length: int) -> int | None:
    """The index of the introduction's heading; None where there is none."""
    chapters = 0
    candidate = None
    for index, heading in enumerate(headings):
        if heading.start > length / 2:
            break
        if _INTRODUCTION.match(_without_number(heading.title)):
            if heading.level == 1:
                return index
            candidate = index if candidate is None and chapters <= 1 else candidate
        if heading.level == 1:
            chapters += not _EXCLUDED_TITLE.fullmatch(_without_number(heading.title))
            if _FIRST_CHAPTER.match(heading.title):
                chapters = 1  # what came before is a preface
            if _LATER_CHAPTER.match(heading.title):
                break
    return candidate


def _without_number(title: str) -> str:
    """A title without its number."""
    return _NUMBER.sub("", title).strip(" .:")


def _with_top_headings(blocks: Callable[[str], Sequence[Span]], text: str) -> list[Span]:
    """The paragraphs, where short ones at the top, which can be headings, are joined to the first longer one."""
    spans = list(blocks(text))
    first_text = next(
        (i for i, (start, end) in enumerate(spans) if word_count(text[start:end]) > SHORT), len(spans) - 1
    )
    return [(spans[0][0], spans[first_text][1]), *spans[first_text + 1 :]]
