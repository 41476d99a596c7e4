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
from pipelines.benchmarks.muld.builders import _pages
from pipelines.benchmarks.muld.builders._pages import Page, Pages
from pipelines.plugins.builders._rows import check_minimum, lengths, muld_rows, unit_label
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.records import Document, Example, Span
from pipelines.sources import parsing, reading, tables
from pipelines.sources.own_data import hotpotqa
from pipelines.sources.reading import file_identity
from pipelines.sources.split_names import canonical
from pipelines.sources.warnings import Warnings

_KEPT_IN_FRONT = "paragraphs kept in front of their page, which lacks a supporting sentence"
_WITHOUT_PAGE = "paragraphs kept as they are, having no page"


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
        check_minimum(self.minimum, 1, "extend_multihop: minimum")

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        source_pages = Path(self.pages)
        files = _pages.files(source_pages)
        root = source_pages if source_pages.is_dir() else source_pages.parent
        return {
            "files": [file_identity(_checked(source), source.parent)],
            "pages": [file_identity(path, root) for path in files],
        }

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The questions in the order of the source."""
        table, split, warnings = tables.Files((source,)), canonical(self.split), Warnings(stats.warnings)
        pages = Pages(Path(self.pages))
        stats.notes["pages left out, having the title of one before"] = pages.duplicates.total()
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
        sections, used, links = [], set(), dict[str, None]()
        for name, paragraph in paragraphs.items():
            page = pages.get(name)
            used.add(name)
            links |= dict.fromkeys(map(_pages.key, page.links if page else ()))
            sections.append(_section(paragraph, page, stats))
        length = sum(lengths([section.text for section in sections], self.unit))
        while length < self.minimum:
            unused_links = [name for name in links if name not in used]
            if not unused_links:
                return None
            used.add(name := random.choice(unused_links))
            if page := pages.get(name):
                links |= dict.fromkeys(map(_pages.key, page.links))
                sections.append(Section(page.text))
                length += lengths([page.text], self.unit)[0]
                stats.notes["distractor pages"] += 1
        return random.shuffled(sections)


def _checked(source: Path) -> Path:
    """The source, if its first row is HotpotQA's. Raises `UserError` naming what is needed."""
    tables.kind(reading.existing(source))
    first = next(tables.Files((source,)).rows(), None)
    if first is None or not hotpotqa.recognizes(first.fields):
        columns = "no rows" if first is None else ", ".join(map(str, first.fields)) or "no fields"
        raise UserError(f"{source} has {columns}; extend_multihop needs {hotpotqa.ACCEPTS}")
    return source


def _paragraphs(row: tables.Row, example: Example) -> dict[str, Paragraph]:
    """The paragraphs of a question by the key of their title, each with its supporting sentences."""
    context = hotpotqa.paragraphs_of(row.fields["context"]) or []
    spans = hotpotqa.joined(context)[1]
    paragraphs: dict[str, Paragraph] = {}
    for title, sentences in context:
        located = zip(sentences, spans[title], strict=False)
        supporting = tuple(sentence for sentence, span in located if span in example.evidence)
        paragraphs.setdefault(_pages.key(title), Paragraph(parsing.clean("".join(sentences)).strip(), supporting))
    return paragraphs


def _section(paragraph: Paragraph, page: Page | None, stats: BuildStats) -> Section:
    """A paragraph's page; the paragraph where it has no page, and both where the page lacks a supporting sentence."""
    stats.notes["paragraphs"] += 1
    if page is None:
        stats.notes[_WITHOUT_PAGE] += 1
        text = paragraph.text
    else:
        text = page.text
        if any(_sentence_span(sentence, text) is None for sentence in paragraph.supporting):
            stats.notes[_KEPT_IN_FRONT] += 1
            text = f"{paragraph.text}\n\n{page.text}"
    spans = (_sentence_span(sentence, text) for sentence in paragraph.supporting)
    return Section(text, tuple(span for span in spans if span))


def _sentence_span(sentence: str, text: str) -> Span | None:
    """Where a sentence first stands in a text, whatever its white space; None where it does not."""
    match = re.search(r"\s+".join(map(re.escape, parsing.clean(sentence).split())), text)
    return match.span() if match and match.end() > match.start() else None


def _joined(example: Example, sections: Sequence[Section]) -> Example:
    """The example with the sections as its document, empty lines between them, and its evidence moved accordingly."""
    evidence, position = [], 0
    for section in sections:
        evidence += [(start + position, end + position) for start, end in section.evidence]
        position += len(section.text) + 2
    text = "\n\n".join(section.text for section in sections)
    return replace(example, document=Document(example.document.id, text), evidence=tuple(sorted(evidence)))
