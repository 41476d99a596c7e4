"""The map of a page: a strip for each document, on it the passages and the answer."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pipelines.answers.answer_content import AnswerContent, Passage
from pipelines.display.markup import element

WIDTH, HIGH = 1000, 24  # of the drawing, which is stretched to the page's width
MINIMUM = 8  # of `WIDTH`: what is narrower could not be seen


def places(answer: AnswerContent) -> Element | None:
    """The strips, in the order of the best passage; None where nothing is known of the documents' lengths."""
    documents: dict[str, list[tuple[int, Passage]]] = {}
    for number, passage in enumerate(answer.passages, 1):
        if passage.around is not None:
            documents.setdefault(passage.file or "", []).append((number, passage))
    if not documents:
        return None
    rows = [_row(name, passages) for name, passages in documents.items()]
    scale = element("p", element("span", "beginning"), element("span", "end"), class_="scale")
    return element("div", *rows, scale, class_="map")


def _row(name: str, passages: list[tuple[int, Passage]]) -> Element:
    marks = [mark for number, passage in passages for mark in _marks(number, passage)]
    drawing = element(
        "svg", *marks, viewBox=f"0 0 {WIDTH} {HIGH}", preserveAspectRatio="none", role="group",
        aria_label=f"Passages of {name or 'the document'}",
    )  # fmt: skip
    label = element("bdi", name or "the document", class_="map-name")
    return element("div", label, element("div", drawing, class_="strip"), class_="map-row")


def _marks(number: int, passage: Passage) -> Iterator[Element]:
    """The passage, which is a link to it, and the answer in it."""
    assert passage.around is not None
    length = max(passage.around.length, 1)
    part = f"[{number}] {passage.location}".strip()
    box = element("rect", element("title", part), **_box(passage.start, passage.end, length, 2), class_="seen")
    yield element("a", box, href=f"#passage-{number}", aria_label=part)
    if passage.answer is not None:
        yield element("rect", element("title", "the answer"), **_box(*passage.answer, length, 0), class_="found")


def _box(start: int, end: int, length: int, inset: int) -> dict[str, str]:
    wide_value = max(WIDTH * (end - start) / length, MINIMUM)
    left = min(WIDTH * start / length, WIDTH - wide_value)
    return {"x": f"{left:.1f}", "y": str(inset), "width": f"{wide_value:.1f}", "height": str(HIGH - 2 * inset)}
