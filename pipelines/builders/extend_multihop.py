"""Paragraphs become whole pages (HotpotQA: Hudson and Al Moubayed 2022, section 3.2).

Each paragraph is replaced by its page; pages that those link to are added at random until the document has the minimum
length; all are shuffled and concatenated with empty lines between.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.builders import Builder, BuildStats, Row, _pages
from pipelines.builders._pages import Page, Pages
from pipelines.builders._rows import lengths, muld_rows, number, unit_label
from pipelines.builders._seeded_random import SeededRandom
from pipelines.records import Document, Example, Span
from pipelines.sources import parsing, reading, tables
from pipelines.sources.originals import hotpotqa
from pipelines.sources.reading import file_identity
from pipelines.sources.split_names import canonical
from pipelines.sources.warnings import Warnings

_AHEAD = "paragraphs kept in front of their page, which lacks a supporting sentence"
_ABSENT = "paragraphs kept as they are, having no page"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph as the question has it, and the sentences of it that support the answer."""

    text: str
    supporting: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the document, and where the supporting sentences are in it."""

    text: str
    evidence: tuple[Span, ...] = ()


@dataclass(frozen=True)
class ExtendMultihop(Builder):
    """Questions of HotpotQA over whole pages, of at least `minimum` words, characters or tokens (`unit`).

    The source: HotpotQA's rows, original or hub layout. `pages`: a folder of TITLE.txt with links in TITLE.links, or
    JSON Lines with title, text and links; relative to the working directory. `split` names the file made.

    A paragraph whose page is missing stays as it is, and one with a supporting sentence that its page does not have,
    white space aside, stays in front of the page; both are counted. `metadata` has the spans of the supporting
    sentences as `evidence`, in code points of `input`. A question whose linked pages give out below the minimum is
    left out. Distractors and order depend on the seed and the question's id alone.
    """

    is_random = True

    pages: str
    minimum: int = 10_000
    unit: str = "words"
    split: str = "validation"

    def __post_init__(self) -> None:
        number(self.minimum, 1, "extend_multihop: minimum")

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        place = Path(self.pages)
        pages = _pages.files(place)
        root = place if place.is_dir() else place.parent
        return {
            "files": [file_identity(_checked(source), source.parent)],
            "pages": [file_identity(path, root) for path in pages],
        }

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The questions in the order of the source."""
        table, split, warnings = tables.Files((source,)), canonical(self.split), Warnings(stats.warnings)
        pages = Pages(Path(self.pages))
        stats.notes["pages left out, having the title of one before"] = pages.doubles.total()
        for row, example in zip(table.rows(), hotpotqa.read(table, split, warnings, True), strict=True):
            stats.read += 1
            if extended := self._extended(_paragraphs(row, example), pages, SeededRandom(seed, example.id), stats):
                yield split, muld_rows([_joined(example, extended)])[0]
            else:
                stats.dropped[
                    f"questions whose linked pages give out below {self.minimum:,} {unit_label(self.unit)}"
                ] += 1
        warnings.close()

    def _extended(
        self, paragraphs: Mapping[str, Paragraph], pages: Pages, random: SeededRandom, stats: BuildStats
    ) -> list[Section] | None:
        """The sections of a document in random order; None where they are too short together."""
        sections, names, near = [], set(), dict[str, None]()
        for name, paragraph in paragraphs.items():
            page = pages.get(name)
            names.add(name)
            near |= dict.fromkeys(map(_pages.key, page.links if page else ()))
            sections.append(_section(paragraph, page, stats))
        length = sum(lengths([section.text for section in sections], self.unit))
        while length < self.minimum:
            open_links = [name for name in near if name not in names]
            if not open_links:
                return None
            names.add(name := random.choice(open_links))
            if page := pages.get(name):
                near |= dict.fromkeys(map(_pages.key, page.links))
                sections.append(Section(page.text))
                length += lengths([page.text], self.unit)[0]
                stats.notes["distractor pages"] += 1
        return random.shuffled(sections)


def _checked(source: Path) -> Path:
    """The source, if its first row is HotpotQA's. Raises `UserError` naming what is needed."""
    tables.kind(reading.existing(source))
    first = next(tables.Files((source,)).rows(), None)
    if first is None or not hotpotqa.recognizes(first.fields):
        text = "no rows" if first is None else ", ".join(map(str, first.fields)) or "no fields"
        raise UserError(f"{source} has {text}; extend_multihop needs {hotpotqa.ACCEPTS}")
    return source


def _paragraphs(row: tables.Row, example: Example) -> dict[str, Paragraph]:
    """The paragraphs of a question by the key of their title, each with its supporting sentences."""
    context = hotpotqa.paragraphs_of(row.fields["context"]) or []
    spans = hotpotqa.joined(context)[1]
    paragraphs: dict[str, Paragraph] = {}
    for title, sentences in context:
        places = zip(sentences, spans[title], strict=False)
        supporting = tuple(sentence for sentence, place in places if place in example.evidence)
        paragraphs.setdefault(_pages.key(title), Paragraph(parsing.clean("".join(sentences)).strip(), supporting))
    return paragraphs


def _section(paragraph: Paragraph, page: Page | None, stats: BuildStats) -> Section:
    """A paragraph's page, or what stands for it where that is missing or lacks a supporting sentence."""
    stats.notes["paragraphs"] += 1
    if page is None:
        stats.notes[_ABSENT] += 1
        text = paragraph.text
    else:
        text = page.text
        if any(_place(sentence, text) is None for sentence in paragraph.supporting):
            stats.notes[_AHEAD] += 1
            text = f"{paragraph.text}\n\n{page.text}"
    places = (_place(sentence, text) for sentence in paragraph.supporting)
    return Section(text, tuple(place for place in places if place))


def _place(sentence: str, text: str) -> Span | None:
    """Where a sentence stands first in a text, whatever its white space; None for nowhere."""
    match = re.search(r"\s+".join(map(re.escape, parsing.clean(sentence).split())), text)
    return match.span() if match and match.end() > match.start() else None


def _joined(example: Example, sections: Sequence[Section]) -> Example:
    """The example over the sections, empty lines between, with its evidence where it stands now."""
    evidence, position = [], 0
    for section in sections:
        evidence += [(start + position, end + position) for start, end in section.evidence]
        position += len(section.text) + 2
    text = "\n\n".join(section.text for section in sections)
    return replace(example, document=Document(example.document.id, text), evidence=tuple(sorted(evidence)))
