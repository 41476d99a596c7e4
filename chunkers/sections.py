"""Sections by their headings, from the introduction on (MuLD, section 4, for very long scientific papers)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from chunkers import Chunk
from chunkers.shared.boundaries import Span, clauses, lines, paragraphs, sentences
from chunkers.shared.headings import Heading, headings
from chunkers.shared.packing import CountingChunker, check_size, pack
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
    """One chunk per section, its label the section's heading; found by `_headings`.

    `level` is the deepest level of heading that starts a section (1: chapters; None: every heading does). A section of
    more than `size` tokens (`unit`: see `Tokens`) is split between its lower headings, then its paragraphs, sentences,
    and where it must be between tokens; its chunks share the label. A heading without text joins the next section,
    under that one's heading. `size` None is the reader's limit in a pipeline (no bound where it has none), else 512
    words.

    The first chunk is the first introduction: what comes before it is left out. An introduction counts if it is of
    the first level, or if no second chapter comes before it, and never in the second half of the text. Without any, the
    first section is the first chunk, unless most of the text comes before it: then that is kept, without a label.
    Always left out: contents, lists (of tables, figures, symbols …), abbreviations, the index, and sections that say
    nothing of the subject or give away the answer: abstract, declaration, acknowledgements, references.

    A text without headings, or only with headings of left-out sections, is split at its paragraphs, without labels;
    `remark` reports this, and a missing introduction. Raises `UserError` for a size or level below 1, or a unit that
    cannot be loaded.
    """

    covers_document = False  # leaves out parts of the text on purpose
    unbounded = True  # a reader without a limit reads sections whole

    size: int | None = None
    unit: Any = "words"
    level: int | None = None
    _unit: Unit = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_size(SIZE if self.size is None else self.size)
        if self.level is not None and self.level < 1:
            raise UserError(f"level={self.level} is above every heading: give 1 (chapters) or more, or leave it out")
        object.__setattr__(self, "_unit", unit_of(self.unit))

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text`, in order; no chunk counts more than `size` when tokenized by itself."""
        blocks = paragraphs if len(paragraphs(text)) > 1 else lines
        found_sections = sections(text, self.level)
        if not found_sections:
            return self._chunks(text, None, blocks(text), ())
        headed_partial = partial(_headed_spans, blocks)
        return [
            chunk
            for section in found_sections
            for chunk in self._chunks(text, section.title, section.parts, (headed_partial,))
        ]

    def remark(self, text: str) -> str | None:
        """Whether `text` has no headings or no introduction, and what the unit remarks; None if there is neither."""
        return "; ".join(filter(None, (self._headings(text), super().remark(text)))) or None

    def _headings(self, text: str) -> str | None:
        """Whether a text has no headings or no introduction."""
        found_headings, kept_sections = headings(text), sections(text, self.level)
        if not kept_sections:
            return "no headings: split at paragraphs"
        if _first(found_headings, len(text)) is not None:
            return None
        place = repr(kept_sections[0].title) if kept_sections[0].title else "the top"
        return f"no introduction: starts at {place}"

    def _chunks(
        self, text: str, title: str | None, spans: Sequence[Span], finer: Sequence[Callable[[str], Sequence[Span]]]
    ) -> list[Chunk]:
        further_entries: list[Callable[[str], Sequence[Span]]] = [*finer, sentences, clauses]
        packed = pack(text, spans, SIZE if self.size is None else self.size, self._unit, further_entries)
        return [Chunk(text[start:end], start, end, title) for start, end in packed]


def sections(text: str, level: int | None = None) -> list[Section]:
    """The sections that are kept, in order; none where there are no headings."""
    if not (found_headings := headings(text)):
        return []
    stops = [*(heading.start for heading in found_headings[1:]), len(text)]
    first = _first(found_headings, len(text))
    sections: list[Section] = []
    if first is None and found_headings[0].start > len(text) / 2:
        sections.append(Section(None, (_stripped(text, 0, found_headings[0].start),)))
    runs: list[list[_Draft]] = [[]]  # separated by the sections that are left out
    for heading, stop in list(zip(found_headings, stops, strict=True))[first or 0 :]:
        run, draft = runs[-1], _draft(text, heading, stop)
        if _LEFT_OUT_PATTERN.fullmatch(_bare_text(heading.title)):
            runs.append([])
        elif run and level is not None and heading.level > level:
            run[-1] = run[-1].followed(draft, run[-1].title)
        elif run and run[-1].bare:
            run[-1] = run[-1].followed(draft, draft.title)
        else:
            run.append(draft)
    return sections + [Section(draft.title, draft.parts) for run in runs for draft in _settled_rows(run)]


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
