"""Reads the lines "number: author" in a model's reply, and counts paragraphs without a usable author."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

DIGITS = 9  # of a number that is read: a model may write digits without end

_MARKS = re.compile(r"[*_`\"'“”‘’\[\](){}<>#|]+")
_NUMBER = rf"(?<!\d)(\d{{1,{DIGITS}}})(?!\d)"
_NAME = r"(?:author|writer)"
_BY = rf"(?:(?:is|was) )?(?:(?:written )?by )?(?:the )?(?:{_NAME}\W*)?"
_TO = r"\s*(?:-|–|—|to|through)\s*"
_LINE = re.compile(rf"\W*(?:(?:paragraph|para|number|no)\W*)?{_NUMBER}\W+{_BY}{_NUMBER}\W*", re.IGNORECASE)
_RANGE = re.compile(rf"{_NUMBER}{_TO}{_NUMBER}\s*[:=]\s*(?:{_NAME}\W*)?{_NUMBER}", re.IGNORECASE)
_PAIR = re.compile(
    rf"{_NUMBER}(?:\s*(?:[:=→]|->|=>)\s*(?:{_NAME}\W*)?"
    rf"|\W+(?:(?:is|was) )?(?:(?:written )?by )?(?:the )?{_NAME}\W*){_NUMBER}",
    re.IGNORECASE,
)
_OBJECT = re.compile(rf"(?:paragraph|number|id)\W*:\W*{_NUMBER}\W*{_NAME}\W*:\W*{_NUMBER}", re.IGNORECASE)
_AUTHOR_LINE = re.compile(rf"\W*{_NAME}\W*{_NUMBER}\s*:\W*(?:paragraphs?\W*)?(\d[\d\s,;–—-]*)\.?", re.IGNORECASE)
_SPAN = re.compile(rf"{_NUMBER}(?:{_TO}{_NUMBER})?")
_NUMBERS_ONLY = re.compile(r"[\d\s,;.]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """The author of each requested paragraph, 0 where the reply gives no usable one.

    Of these paragraphs `unnamed` are left out, `twice` have two authors, and `over` have an author number that is too
    high. `stray` is the count of numbers of paragraphs that were not requested.
    """

    authors: tuple[int, ...] = ()
    unnamed: int = 0
    twice: int = 0
    over: int = 0
    stray: int = 0

    @property
    def missing(self) -> int:
        """The number of paragraphs without a usable author."""
        return self.unnamed + self.twice + self.over

    def plus(self, other: "Reading") -> "Reading":
        """This reading followed by `other`."""
        return Reading(
            self.authors + other.authors,
            self.unnamed + other.unnamed,
            self.twice + other.twice,
            self.over + other.over,
            self.stray + other.stray,
        )

    def description(self, paragraphs: int) -> str:
        """The remark on paragraphs without a usable author, in a document with `paragraphs` paragraphs."""
        problems = (
            (self.unnamed, "left out"),
            (self.twice, "with two authors"),
            (self.over, "with an author beyond the last"),
        )
        parts = ", ".join(f"{number} {problem}" for number, problem in problems if number)
        stray_text = f"; {self.stray} numbers of other paragraphs" if self.stray else ""
        return f"{self.missing} of {paragraphs} paragraphs have the author of the one before: {parts}{stray_text}"


def read(reply: str, first: int, last: int, maximum: int) -> Reading:
    """The authors (1 to `maximum`) that a reply gives to the paragraphs `first` to `last`.

    Numbers alone are taken as authors in order if there are as many as paragraphs. Repeated lines count once.
    """
    authors_of: dict[int, set[int]] = {}
    stray_numbers: set[int] = set()
    for number, author in _pairs(reply, last - first + 1, first):
        if first <= number <= last:
            authors_of.setdefault(number, set()).add(author)
        elif number > last or number < 1:
            stray_numbers.add(number)
    authors, unnamed, twice, over = [], 0, 0, 0
    for number in range(first, last + 1):
        candidates = authors_of.get(number, set())
        usable = len(candidates) == 1 and 1 <= min(candidates) <= maximum
        authors.append(min(candidates) if usable else 0)
        unnamed += not candidates
        twice += len(candidates) > 1
        over += len(candidates) == 1 and not usable
    return Reading(tuple(authors), unnamed, twice, over, len(stray_numbers))


def _pairs(reply: str, paragraphs: int, first: int) -> Iterator[tuple[int, int]]:
    """The pairs (paragraph, author) in a reply, in any of the forms that models write."""
    text = _MARKS.sub(" ", reply)
    if _NUMBERS_ONLY.fullmatch(text) and len(numbers := _numbers(text)) == paragraphs:
        yield from enumerate(numbers, first)
    elif objects := _OBJECT.findall(text):
        yield from _as_integers(objects)
    else:
        for line in text.splitlines():
            yield from _line_pairs(line, first + paragraphs)


def _line_pairs(line: str, end: int) -> Iterator[tuple[int, int]]:
    """The pairs (paragraph, author) of a line; ranges are cut at `end`, which is above all paragraphs."""
    if author_line := _AUTHOR_LINE.fullmatch(line):
        for start, stop in _SPAN.findall(author_line[2]):
            yield from ((number, int(author_line[1])) for number in range(int(start), min(int(stop or start), end) + 1))
    elif (ranges := _RANGE.findall(line)) or not (pair := _LINE.fullmatch(line)):
        for start, stop, author in ranges:
            yield from ((number, int(author)) for number in range(int(start), min(int(stop), end) + 1))
        yield from _as_integers(_PAIR.findall(_RANGE.sub(" ", line)))
    else:
        yield from _as_integers([pair.groups()])


def _as_integers(pairs: Iterable[Sequence[str]]) -> Iterator[tuple[int, int]]:
    return ((int(number), int(author)) for number, author in pairs)


def _numbers(text: str) -> Sequence[int]:
    return [int(number[:DIGITS]) for number in re.findall(r"\d+", text)]
