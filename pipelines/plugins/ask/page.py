"""The page of an answer: its text, where it is in the documents, and each passage with the text around it.

It has the styles of the report, and needs neither network nor scripts; one script chooses between light and dark.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines.display import page as pages
from pipelines.plugins.ask.answer_content import AnswerContent, Passage
from pipelines.plugins.ask.excerpts import one_line
from pipelines.plugins.ask.passage_map import strips
from pipelines.plugins.ask.rendering import MOST_RELEVANT, READER, answer_text, place_of
from pipelines.records import Span

SCRIPTS = ("make", "theme", "answer")
LONG = 6000  # characters; of longer passages, stretches without a mark are folded
TAGS = {"answer": "answer", "evidence": "most relevant"}  # of marks, by the class that the report has for them
EDGE = 400  # characters that stay visible on both sides of a fold
_FIRST_WORD, _LAST_WORD = re.compile(r"^\S{0,40}\s+"), re.compile(r"\s+\S{0,40}$")  # which may be cut
_BRACKET = re.compile(r"[\[【［][^\[\]\n]{1,60}[\]】］]")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a passage, with the classes of the marks that it stands in, from the outermost, each with its tag.

    The tag is empty where the mark goes on from the stretch before.
    """

    text: str
    marks: Sequence[tuple[str, str]] = ()
    is_folded: bool = False


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage as the page shows it: cut to whole words before and after it, and in stretches.

    `has_answer`: the answer stands in it, and is not all of the most relevant sentence.
    """

    passage: Passage
    is_cited: bool
    has_sentence: bool
    has_answer: bool
    heading: str
    before: str
    stretches: Sequence[Stretch]
    after: str

    @property
    def name(self) -> str:
        """File and location, or the line."""
        return ", ".join(filter(None, (self.passage.file, self.passage.location))) or f"line {self.passage.line}"

    @property
    def place(self) -> float | None:
        """Where the passage begins, in percent of its document; None where the document's length is unknown."""
        around = self.passage.around
        return None if around is None else 100 * self.passage.start / max(around.length, 1)


def html(answer: AnswerContent) -> str:
    """The page as text."""
    return pages.page(
        "plugins/ask/templates/answer.html",
        pages.styles(pages.ASSETS / "answer.css"),
        pages.scripts(SCRIPTS),
        title=answer.question or "Answer",
        answer=answer,
        answer_title=_heading(answer),
        cited=list(_linked_text(answer)),
        no_answer=answer_text(answer, full=True),
        most_relevant=_most_relevant(answer),
        place="" if answer.best_sentence is None else place_of(answer.best_sentence),
        strips=strips(answer),
        passages=[_shown_passage(answer, number, passage) for number, passage in enumerate(answer.passages, 1)],
    )


def write(answer: AnswerContent, file: str | Path) -> Path:
    """Write the page into one file. Raises `UserError`."""
    path = Path(file)
    if not path.parent.is_dir():
        raise UserError(f"{path.parent} is not a folder: make it, or write the page elsewhere")
    write_whole(path.parent, path.name, html(answer), is_typed=True)
    return path


def _most_relevant(answer: AnswerContent) -> str:
    """The most relevant sentence after its label; empty where it is the answer itself."""
    text = "" if answer.best_sentence is None else one_line(answer.best_sentence.text)
    return "" if text == answer.text else f"{MOST_RELEVANT} {text}"


def _heading(answer: AnswerContent) -> str:
    """The heading above the answer's text, by who wrote it: a model, the documents, or a reader without a model."""
    if answer.best_sentence is None:
        return "Answer"
    is_same = one_line(answer.best_sentence.text) == answer.text
    return (MOST_RELEVANT if is_same else READER).removesuffix(":")


def _linked_text(answer: AnswerContent) -> Iterator[tuple[str, int | None]]:
    """The pieces of the answer's text; a number that cites a passage is a piece, with that number."""
    cited_numbers = {citation.number for citation in answer.citations}
    last = 0
    for bracket in _BRACKET.finditer(answer.text) if cited_numbers else ():
        for digits in re.finditer(r"\d+", bracket[0]):
            if int(digits[0]) in cited_numbers:
                position = bracket.start() + digits.start()
                yield answer.text[last:position], None
                yield digits[0], int(digits[0])
                last = position + len(digits[0])
    yield answer.text[last:], None


def _shown_passage(answer: AnswerContent, number: int, passage: Passage) -> ShownPassage:
    best = answer.best_sentence
    sentence = (best.start, best.end) if best is not None and best.passage == number else None
    return ShownPassage(
        passage,
        any(citation.number == number for citation in answer.citations),
        sentence is not None,
        passage.answer not in (None, sentence),
        " ".join(passage.heading.split()).strip("# ")[:200],
        _text_before(passage),
        list(_stretches(passage, sentence)),
        _text_after(passage),
    )


def _text_before(passage: Passage) -> str:
    """The text before a passage, in whole words."""
    text = passage.around.before if passage.around else ""
    return f"… {_FIRST_WORD.sub('', text)}" if text and passage.start > len(text) else text


def _text_after(passage: Passage) -> str:
    """The text after a passage, in whole words."""
    if passage.around is None or not (text := passage.around.after):
        return ""
    return f"{_LAST_WORD.sub('', text)} …" if passage.end + len(text) < passage.around.length else text


def _stretches(passage: Passage, sentence: Span | None) -> Iterator[Stretch]:
    """The passage's text, with marks for the answer and for the most relevant sentence."""
    layers = {"evidence": sentence, "answer": None if passage.answer == sentence else passage.answer}
    spans = {kind: (span[0] - passage.start, span[1] - passage.start) for kind, span in layers.items() if span}
    borders = sorted({0, len(passage.text), *(place for span in spans.values() for place in span)})
    before: list[str] = []
    for start, end in pairwise(borders):
        inside = [kind for kind, (first, last) in spans.items() if first <= start and end <= last]
        if inside:
            marks = [(kind, "" if kind in before else TAGS[kind]) for kind in inside]
            yield Stretch(passage.text[start:end], marks)
        else:
            yield from _with_fold(passage.text[start:end], len(passage.text) > LONG)
        before = inside


def _with_fold(text: str, is_long: bool) -> Iterator[Stretch]:
    """A stretch of text; the middle of a long one is folded until the reader opens it."""
    if not is_long or len(text) <= 4 * EDGE:
        yield Stretch(text)
        return
    yield Stretch(text[:EDGE])
    yield Stretch(text[EDGE:-EDGE], is_folded=True)
    yield Stretch(text[-EDGE:])
