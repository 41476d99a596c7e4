"""The page of an answer: what was said, where in the documents it stands, and each passage with the text around it.

It has the styles of the report, and needs neither network nor scripts; one script chooses between light and dark.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element

from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines.answers.answer_content import AnswerContent, Passage
from pipelines.answers.excerpts import one_line
from pipelines.answers.passage_map import places
from pipelines.answers.rendering import MOST_RELEVANT, READER, answer_text, place_of
from pipelines.display.markup import Child, element
from pipelines.display.page import ASSETS, scripts, section, static, styles
from pipelines.records import Span

SCRIPTS = ("make", "theme", "answer")
LONG = 6000  # characters; of longer passages, stretches without a mark are folded
TAGS = {"answer": "answer", "evidence": "most relevant"}  # of marks, by the class that the report has for them
EDGE = 400  # characters that stay visible on both sides of a fold
_FIRST_WORD, _LAST_WORD = re.compile(r"^\S{0,40}\s+"), re.compile(r"\s+\S{0,40}$")  # which may be cut
_BRACKET = re.compile(r"[\[【［][^\[\]\n]{1,60}[\]】］]")


def html(answer: AnswerContent) -> str:
    """The page as text."""
    style, script = styles(ASSETS / "answer.css"), scripts(SCRIPTS)
    return static(answer.question or "Answer", "longdoc ask", "passages", _sections(answer), style, script)


def write(answer: AnswerContent, file: str | Path) -> Path:
    """Write the page into one file. Raises `UserError`."""
    path = Path(file)
    if not path.parent.is_dir():
        raise UserError(f"{path.parent} is no folder: make it, or write the page elsewhere")
    write_whole(path.parent, path.name, html(answer), is_typed=True)
    return path


def _sections(answer: AnswerContent) -> Iterator[Element]:
    yield section("answer", _title(answer), *_answer(answer))
    if answer.passages:
        if (element := places(answer)) is not None:
            yield section("places", "Where in the documents", element)
        passages = [_passage(answer, number, passage) for number, passage in enumerate(answer.passages, 1)]
        yield section("passages", "Passages", _legend(answer), *passages)


def _answer(answer: AnswerContent) -> Iterator[Element]:
    """The answer, the sentence that is nearest to the question, and the warnings."""
    words = element("p", *_cited(answer), class_="output", dir="auto")
    none_element = element("p", answer_text(answer, full=True), class_="note")
    yield element("ul", element("li", words if answer.text else none_element), class_="answers")
    if (best := answer.best_sentence) is not None:
        text = one_line(best.text)
        sentence = "" if answer.text == text else f": {text}"
        place: Child = place_of(best)
        if best.passage is not None:
            place = element("a", place, href=f"#passage-{best.passage}", class_="cite")
        yield element("p", f"{MOST_RELEVANT.removesuffix(':')}{sentence} — ", place, class_="where", dir="auto")
    if answer.warnings:
        lines = element("ul", *(element("li", line, dir="auto") for line in answer.warnings))
        yield element("div", element("h3", "Warnings"), lines, class_="remark")


def _title(answer: AnswerContent) -> str:
    """What the answer's text is: without a model the most relevant sentence, or what a reader without weights says."""
    if answer.best_sentence is None:
        return "Answer"
    is_same = one_line(answer.best_sentence.text) == answer.text
    return (MOST_RELEVANT if is_same else READER).removesuffix(":")


def _cited(answer: AnswerContent) -> Iterator[Child]:
    """The answer's text, the numbers in its citations being links to the passages."""
    known_numbers = {citation.number for citation in answer.citations}
    last = 0
    for bracket in _BRACKET.finditer(answer.text) if known_numbers else ():
        for digits in re.finditer(r"\d+", bracket[0]):
            if int(digits[0]) in known_numbers:
                position = bracket.start() + digits.start()
                yield answer.text[last:position]
                yield element("a", digits[0], href=f"#passage-{int(digits[0])}", class_="cite")
                last = position + len(digits[0])
    yield answer.text[last:]


def _legend(answer: AnswerContent) -> Element:
    answers = any(
        passage.answer not in (None, _sentence(answer, position)) for position, passage in enumerate(answer.passages, 1)
    )
    entries = [(_mark("answer", "text"), "the answer’s words")] if answers else []
    if any(_sentence(answer, number) for number in range(1, len(answer.passages) + 1)):
        entries.append((_mark("evidence", "text"), "the sentence nearest to the question"))
    if any(passage.around for passage in answer.passages):
        entries.append((element("span", "dimmed", class_="context"), "around the passage, not part of it"))
    return element("ul", *(element("li", mark, f" {text}") for mark, text in entries), class_="legend")


def _passage(answer: AnswerContent, number: int, passage: Passage) -> Element:
    """A passage with its place, what it holds, and the text around it."""
    cited = any(citation.number == number for citation in answer.citations)
    sentence = _sentence(answer, number)
    chips = [("cited", "good")] * cited + [("most relevant", "good")] * (sentence is not None)
    chips += [("holds the answer", "good")] * (passage.answer not in (None, sentence))
    chips += [("not read", "gone")] * (not passage.shown)
    name = ", ".join(filter(None, (passage.file, passage.location))) or f"line {passage.line}"
    head = element(
        "h3", element("span", f"[{number}] ", class_="passage-number"), element("bdi", name),
        *(part for text, kind in chips for part in (" ", element("span", text, class_=f"chip {kind}"))),
    )  # fmt: skip
    where_element = element("p", " · ".join(_facts(passage)), class_="where")
    return element(
        "section", head, where_element, _text(passage, sentence),
        class_="passage", id=f"passage-{number}", aria_label=f"Passage {number}",
    )  # fmt: skip


def _facts(passage: Passage) -> Iterator[str]:
    yield f"score {passage.score:.3f}"
    yield f"characters {passage.start:,} to {passage.end:,}"
    if passage.around is not None:
        yield f"{100 * passage.start / max(passage.around.length, 1):.0f} % into the document"
    if heading := " ".join(passage.heading.split()).strip("# "):
        yield f"under “{heading[:200]}”"


def _text(passage: Passage, sentence: Span | None) -> Element:
    """The passage, its marks, and dimmed the text before and after it."""
    parts: list[Child] = []
    if (around := passage.around) is not None and around.before:
        cut = passage.start > len(around.before)
        before = f"… {_FIRST_WORD.sub('', around.before)}" if cut else around.before
        parts.append(element("span", before, class_="context"))
    parts += _marked(passage, sentence)
    if around is not None and around.after:
        cut = passage.end + len(around.after) < around.length
        after = f"{_LAST_WORD.sub('', around.after)} …" if cut else around.after
        parts.append(element("span", after, class_="context"))
    return element("div", *parts, class_="text", dir="auto")


def _marked(passage: Passage, sentence: Span | None) -> Iterator[Child]:
    """The passage's text, the answer marked in it, and the sentence that is most relevant."""
    layers = {"answer": None if passage.answer == sentence else passage.answer, "evidence": sentence}
    spans = {kind: (a - passage.start, b - passage.start) for kind, (a, b) in _known_rows(layers)}
    borders = sorted({0, len(passage.text), *(place for span in spans.values() for place in span)})
    before: set[str] = set()
    for start, end in pairwise(borders):
        kinds_names = [kind for kind, (a, b) in spans.items() if a <= start and end <= b]
        if not kinds_names:
            yield from _folded_rows(passage.text, start, end, len(passage.text) > LONG)
        else:
            child: Child = passage.text[start:end]
            for kind in kinds_names:
                child = _mark(kind, child, tagged=kind not in before)
            yield child
        before = set(kinds_names)


def _known_rows(layers: Mapping[str, Span | None]) -> Iterator[tuple[str, Span]]:
    return ((kind, span) for kind, span in layers.items() if span is not None)


def _sentence(answer: AnswerContent, number: int) -> Span | None:
    """The most relevant sentence, where it is in this passage."""
    best = answer.best_sentence
    return (best.start, best.end) if best is not None and best.passage == number else None


def _mark(kind: str, child: Child, tagged: bool = True) -> Element:
    return element("mark", element("span", TAGS[kind], class_="tag") if tagged else None, child, class_=kind)


def _folded_rows(text: str, start: int, end: int, long: bool) -> Iterator[Child]:
    """A stretch of text; the middle of a long one opens when it is asked for."""
    if not long or end - start <= 4 * EDGE:
        yield text[start:end]
        return
    middle = text[start + EDGE : end - EDGE]
    yield text[start : start + EDGE]
    yield element("details", element("summary", f"Show {len(middle):,} more characters"), element("div", middle))
    yield text[end - EDGE : end]
