"""The map of an answer's page: a strip for each document that shows where passages and answer are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipelines.plugins.ask.answer_content import AnswerContent, Passage

WIDTH, HIGH = 1000, 24  # of the drawing, which is stretched to the page's width
MINIMUM = 8  # of `WIDTH`: a narrower box could not be seen


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a strip: of the passage with a number, or, without one, of the answer."""

    title: str
    x: str
    y: int
    width: str
    height: int
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Strip:
    """A document's strip with its boxes."""

    name: str
    boxes: Sequence[Box]
    width: int = WIDTH
    height: int = HIGH


def strips(answer: AnswerContent) -> list[Strip]:
    """The strips, in the order of their best passages; none for documents of unknown length."""
    boxes: dict[str, list[Box]] = {}
    for number, passage in enumerate(answer.passages, 1):
        if passage.around is not None:
            boxes.setdefault(passage.file or "the document", []).extend(_boxes(number, passage, passage.around.length))
    return [Strip(name, boxes) for name, boxes in boxes.items()]


def _boxes(number: int, passage: Passage, length: int) -> Iterator[Box]:
    """The boxes of a passage and of the answer in it."""
    yield _box(f"[{number}] {passage.location}".strip(), passage.start, passage.end, length, 2, number)
    if passage.answer is not None:
        yield _box("the answer", *passage.answer, length, 0)


def _box(title: str, start: int, end: int, length: int, inset: int, number: int | None = None) -> Box:
    length = max(length, 1)
    width = max(WIDTH * (end - start) / length, MINIMUM)
    left = min(WIDTH * start / length, WIDTH - width)
    return Box(title, f"{left:.1f}", inset, f"{width:.1f}", HIGH - 2 * inset, number)
