"""Sections by their headings: all of them, or a thesis from its introduction on (MuLD, section 4)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

from chunkers import Chunk, Heading, Layout
from chunkers.shared.boundaries import Span, clauses, lines, paragraphs, sentences
from chunkers.shared.headings import headings as headings_of
from chunkers.shared.packing import CountingChunker, Find, below_names, check_size, in_rows, pack
from chunkers.shared.units import Unit, unit_of
from chunkers.shared.words import word_count
from longdoc.errors import UserError

SIZE = 512  # words, where neither the user nor the pipeline gives a size
SHORT = 16  # words that a heading has at most

_NUMBER = re.compile(
    r"^(?:(?:chapter|part|appendix|section)\s+\S+|\d+(?:\.\d+)*|[ivxlc]+|[a-h](?:\.\d+)+)(?:[.:)]\s*|\s+|$)",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(r"(?:general |thesis )?introduct(?:ion|ory)\b", re.IGNORECASE)
_ONE_PATTERN = re.compile(r"(?:chapter\s+)?(?:1|I|one)\b", re.IGNORECASE)
_SECOND = re.compile(r"(?:chapter\s+)?(?:[2-9]|1\d|II|III|IV|VI?)\b", re.IGNORECASE)
_LEFT_OUT_PATTERN = re.compile(
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
            raise UserError(f"level={self.level} is above every heading: give 1 (chapters) or more, or leave it out")
        object.__setattr__(self, "_unit", unit_of(self.unit))

    @property
    def covers_document(self) -> bool:  # type: ignore[override]
        """Whether nothing is left out."""
        return self.keep == "all"

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; no chunk counts more than `size` when tokenized by itself."""
        return self.split_document(text, Layout(), query)

    def split_document(self, text: str, layout: Layout, query: str | None = None) -> list[Chunk]:
        """The sections of a document with these headings; without any, with those that `text` shows."""
        blocks = paragraphs if len(paragraphs(text)) > 1 else lines
        found_sections = self._sections(text, headings_of(text, layout.headings))
        if not found_sections:
            return self._chunks(text, None, blocks(text), (), layout)
        headed_partial = partial(_headed_spans, blocks)
        return [
            chunk
            for section in found_sections
            for chunk in self._chunks(text, section.title, section.parts, (headed_partial,), layout)
        ]

    def remark(self, text: str) -> str | None:
        """Whether `text` has no headings or introduction, what is left out, and the unit's remark; None if nothing."""
        return self.remark_document(text, Layout())

    def remark_document(self, text: str, layout: Layout) -> str | None:
        """What `remark` says of a document with these headings."""
        found_headings = headings_of(text, layout.headings)
        kept_sections = self._sections(text, found_headings)
        about_headings = None if kept_sections else "no headings: split at paragraphs"
        if self.keep == "body" and kept_sections:
            about_headings = _joined(_start(text, found_headings, kept_sections), _share(text, kept_sections))
        return _joined(about_headings, super().remark(text))

    def _sections(self, text: str, headings: Sequence[Heading]) -> list[Section]:
        return body(text, headings, self.level) if self.keep == "body" else sections(text, headings, self.level)

    def _chunks(
        self, text: str, title: str | None, spans: Sequence[Span], finer: Sequence[Find], layout: Layout
    ) -> list[Chunk]:
        further_entries: list[Find] = [*finer, in_rows(sentences, layout), clauses]
        packed = pack(text, spans, SIZE if self.size is None else self.size, self._unit, further_entries)
        return below_names(text, [Chunk(text[start:end], start, end, title) for start, end in packed], layout)


def sections(text: str, headings: Sequence[Heading], level: int | None = None) -> list[Section]:
    """All sections, in order, and what comes before them; none where there are no headings."""
    if not headings:
        return []
    drafts = [(heading.level, _draft(text, heading, stop)) for heading, stop in _with_stops(text, headings)]
    top, settled = _top(text, headings), _joined_rows(drafts, level)
    if top and len(settled) == 1 and settled[0].bare:  # nothing but headings follows
        return [Section(None, ((top[0].parts[0][0], settled[0].parts[-1][1]),))]
    return [*top, *(Section(draft.title, draft.parts) for draft in settled)]


def body(text: str, headings: Sequence[Heading], level: int | None = None) -> list[Section]:
    """The sections of a thesis that are kept, in order; none where there are no headings."""
    if not headings:
        return []
    first = _first(headings, len(text))
    is_top_kept = first is None and headings[0].start > len(text) / 2
    runs: list[list[tuple[int, _Draft]]] = [[]]  # separated by the sections that are left out
    for heading, stop in _with_stops(text, headings)[first or 0 :]:
        if _LEFT_OUT_PATTERN.fullmatch(_bare_text(heading.title)):
            runs.append([])
        else:
            runs[-1].append((heading.level, _draft(text, heading, stop)))
    settled = [draft for run in runs for draft in _joined_rows(run, level)]
    return [*(_top(text, headings) if is_top_kept else ()), *(Section(draft.title, draft.parts) for draft in settled)]


def _with_stops(text: str, headings: Sequence[Heading]) -> list[tuple[Heading, int]]:
    """Each heading, and where the next begins."""
    return list(zip(headings, [*(heading.start for heading in headings[1:]), len(text)], strict=True))


def _top(text: str, headings: Sequence[Heading]) -> list[Section]:
    """What comes before the first heading, if anything does."""
    start, end = _stripped(text, 0, headings[0].start)
    return [Section(None, ((start, end),))] if start < end else []


def _joined_rows(drafts: Sequence[tuple[int, "_Draft"]], level: int | None) -> list["_Draft"]:
    """Neighbouring sections, deeper ones than `level` a part of the one before, and headings of the one after them."""
    run: list[_Draft] = []
    for depth, draft in drafts:
        if run and level is not None and depth > level:
            run[-1] = run[-1].followed(draft, run[-1].title)
        elif run and run[-1].bare:
            run[-1] = run[-1].followed(draft, draft.title)
        else:
            run.append(draft)
    return _settled_rows(run)


def _joined(*remarks: str | None) -> str | None:
    return "; ".join(filter(None, remarks)) or None


def _start(text: str, headings: Sequence[Heading], kept: Sequence[Section]) -> str | None:
    """Where a text without an introduction starts."""
    if _first(headings, len(text)) is not None:
        return None
    return f"no introduction: starts at {repr(kept[0].title) if kept[0].title else 'the top'}"


def _share(text: str, kept: Sequence[Section]) -> str | None:
    """How much is left out, in steps of ten percent, so that the remarks on many texts are few."""
    words = word_count(text)
    left_out = words - sum(word_count(text[start:end]) for section in kept for start, end in section.parts)
    if left_out <= 0:
        return None
    tens = 10 * (10 * left_out // words)
    return f"{tens}–{tens + 10}% of the words left out: what is before the introduction, references and lists"


class _Draft(NamedTuple):
    title: str
    parts: tuple[Span, ...]
    filled: bool  # the last part is more than headings

    @property
    def bare(self) -> bool:
        """Whether it is nothing but headings."""
        return len(self.parts) == 1 and not self.filled

    def followed(self, other: "_Draft", title: str) -> "_Draft":
        """Both as one; headings without a text go on in the next part."""
        if self.filled:
            return _Draft(title, self.parts + other.parts, other.filled)
        joined = (self.parts[-1][0], other.parts[0][1])
        return _Draft(title, (*self.parts[:-1], joined, *other.parts[1:]), other.filled)


def _draft(text: str, heading: Heading, stop: int) -> _Draft:
    start, end = _stripped(text, heading.start, stop)
    return _Draft(heading.title, ((start, end),), end > heading.end)


def _stripped(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _settled_rows(run: list[_Draft]) -> list[_Draft]:
    """Headings at the end without a text go to the section before."""
    if len(run) > 1 and run[-1].bare:
        *kept_drafts, before, last = run
        return [*kept_drafts, before.followed(last, before.title)]
    return run


def _first(headings: Sequence[Heading], length: int) -> int | None:
    """Which heading is the introduction's."""
    chapters = 0
    inner = None
    for i, heading in enumerate(headings):
        if heading.start > length / 2:
            break
        if _INTRODUCTION.match(_bare_text(heading.title)):
            if heading.level == 1:
                return i
            inner = i if inner is None and chapters <= 1 else inner
        if heading.level == 1:
            chapters += not _LEFT_OUT_PATTERN.fullmatch(_bare_text(heading.title))
            if _ONE_PATTERN.match(heading.title):
                chapters = 1  # what came before is a preface
            if _SECOND.match(heading.title):
                break
    return inner


def _bare_text(title: str) -> str:
    """A title without its number."""
    return _NUMBER.sub("", title).strip(" .:")


def _headed_spans(blocks: Callable[[str], Sequence[Span]], text: str) -> list[Span]:
    """The paragraphs, those at the top that can be headings put together with the first one that cannot."""
    spans = list(blocks(text))
    last = next((i for i, (start, end) in enumerate(spans) if word_count(text[start:end]) > SHORT), len(spans) - 1)
    return [(spans[0][0], spans[last][1]), *spans[last + 1 :]]
