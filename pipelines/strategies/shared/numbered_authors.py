"""The lines "number: author" in a model's reply: whose a paragraph is, and what of it cannot be used."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

DIGITS = 9  # of a number that is read: a model may write digits without end

_MARKS = re.compile(r"[*_`\"'“”‘’\[\](){}<>#|]+")
_NUMBER = rf"(?<!\d)(\d{{1,{DIGITS}}})(?!\d)"
_NAME = r"(?:author|writer)"
_BY_TEXT = rf"(?:(?:is|was) )?(?:(?:written )?by )?(?:the )?(?:{_NAME}\W*)?"
_TO_TEXT = r"\s*(?:-|–|—|to|through)\s*"
_LINE = re.compile(rf"\W*(?:(?:paragraph|para|number|no)\W*)?{_NUMBER}\W+{_BY_TEXT}{_NUMBER}\W*", re.IGNORECASE)
_RANGE = re.compile(rf"{_NUMBER}{_TO_TEXT}{_NUMBER}\s*[:=]\s*(?:{_NAME}\W*)?{_NUMBER}", re.IGNORECASE)
_PAIR = re.compile(
    rf"{_NUMBER}(?:\s*(?:[:=→]|->|=>)\s*(?:{_NAME}\W*)?"
    rf"|\W+(?:(?:is|was) )?(?:(?:written )?by )?(?:the )?{_NAME}\W*){_NUMBER}",
    re.IGNORECASE,
)
_OBJECT = re.compile(rf"(?:paragraph|number|id)\W*:\W*{_NUMBER}\W*{_NAME}\W*:\W*{_NUMBER}", re.IGNORECASE)
_AUTHOR_PATTERN = re.compile(rf"\W*{_NAME}\W*{_NUMBER}\s*:\W*(?:paragraphs?\W*)?(\d[\d\s,;–—-]*)\.?", re.IGNORECASE)
_SPAN = re.compile(rf"{_NUMBER}(?:{_TO_TEXT}{_NUMBER})?")
_BARE_PATTERN = re.compile(r"[\d\s,;.]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """The author of each paragraph that was asked for, 0 where the reply has none that can be used.

    Of these paragraphs `unnamed` are left out, `twice` have two authors, and `over` one who cannot be. `stray` numbers
    are of no paragraph that was asked for.
    """

    authors: tuple[int, ...] = ()
    unnamed: int = 0
    twice: int = 0
    over: int = 0
    stray: int = 0

    @property
    def missing(self) -> int:
        """The paragraphs without an author."""
        return self.unnamed + self.twice + self.over

    def plus(self, other: "Reading") -> "Reading":
        """Both one after the other."""
        return Reading(
            self.authors + other.authors,
            self.unnamed + other.unnamed,
            self.twice + other.twice,
            self.over + other.over,
            self.stray + other.stray,
        )

    def described(self, paragraphs: int) -> str:
        """In words, for a document of so many paragraphs."""
        kinds_values = (
            (self.unnamed, "left out"),
            (self.twice, "with two authors"),
            (self.over, "with an author beyond the last"),
        )
        parts = ", ".join(f"{number} {kind}" for number, kind in kinds_values if number)
        stray_text = f"; {self.stray} numbers of other paragraphs" if self.stray else ""
        return f"{self.missing} of {paragraphs} paragraphs have the author of the one before: {parts}{stray_text}"


def read(reply: str, first: int, last: int, maximum: int) -> Reading:
    """What a reply says of the paragraphs `first` to `last`, whose authors are 1 to `maximum`.

    Numbers without those of paragraphs are taken in order where they are as many as the paragraphs. Lines that say the
    same count once.
    """
    named_values: dict[int, set[int]] = {}
    stray_numbers: set[int] = set()
    for number, author in _pairs(reply, last - first + 1, first):
        if first <= number <= last:
            named_values.setdefault(number, set()).add(author)
        elif number > last or number < 1:
            stray_numbers.add(number)
    authors, unnamed, twice_count, over = [], 0, 0, 0
    for number in range(first, last + 1):
        options = named_values.get(number, set())
        usable = len(options) == 1 and 1 <= min(options) <= maximum
        authors.append(min(options) if usable else 0)
        unnamed += not options
        twice_count += len(options) > 1
        over += len(options) == 1 and not usable
    return Reading(tuple(authors), unnamed, twice_count, over, len(stray_numbers))


def _pairs(reply: str, paragraphs: int, first: int) -> Iterator[tuple[int, int]]:
    """(paragraph, author) as the reply has them, in any of the forms that models write."""
    text = _MARKS.sub(" ", reply)
    if _BARE_PATTERN.fullmatch(text) and len(numbers := _numbers(text)) == paragraphs:
        yield from enumerate(numbers, first)
    elif objects := _OBJECT.findall(text):
        yield from _numbered(objects)
    else:
        for line in text.splitlines():
            yield from _line_rows(line, first + paragraphs)


def _line_rows(line: str, end: int) -> Iterator[tuple[int, int]]:
    """The pairs of a line; `end` is a number beyond all paragraphs."""
    if listed := _AUTHOR_PATTERN.fullmatch(line):
        for start, stop in _SPAN.findall(listed[2]):
            yield from ((number, int(listed[1])) for number in range(int(start), min(int(stop or start), end) + 1))
    elif (ranges := _RANGE.findall(line)) or not (pair := _LINE.fullmatch(line)):
        for start, stop, author in ranges:
            yield from ((number, int(author)) for number in range(int(start), min(int(stop), end) + 1))
        yield from _numbered(_PAIR.findall(_RANGE.sub(" ", line)))
    else:
        yield from _numbered([pair.groups()])


def _numbered(pairs: Iterable[Sequence[str]]) -> Iterator[tuple[int, int]]:
    return ((int(number), int(author)) for number, author in pairs)


def _numbers(text: str) -> Sequence[int]:
    return [int(number[:DIGITS]) for number in re.findall(r"\d+", text)]
