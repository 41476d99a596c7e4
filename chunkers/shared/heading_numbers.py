r"""The numbers of headings: how they are written, and whether one continues those before it.

They are digits, letters, Roman numerals, words ("Twenty-One", "the First") or `\thechapter`. The numbers of headings go
on from one to the next, those of the items of a numbered list do not.
"""

import re

LETTER = 1000  # letters come after all numbers

Number = tuple[int, ...]

_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_CARDINAL = {word: number for number, word in enumerate(_ONES.split(), 1)}
_TEN = {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
_ORDINAL = {word: number for number, word in enumerate(_ORDINALS.split(), 1)}
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

ROMAN = r"(?=[IVXLC])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
ORDINAL = rf"(?:{'|'.join(_ORDINAL)}|last)"
_WORDS = (
    rf"(?:{'|'.join(_TEN)})(?:[\s-](?:{'|'.join(list(_CARDINAL)[:9])})\b)?|{'|'.join(sorted(_CARDINAL, key=len)[::-1])}"
)
_SPELLED = rf"(?i:{_WORDS}|the\s+{ORDINAL})"
_SUFFIX = r"(?:[-–.]\d{1,3})?[a-z]?"  # 3-2, II.4, 12a
NUMERAL = rf"(?:(?:No\.|Nr\.|#)\s?)?(?:\d{{1,3}}{_SUFFIX}|{ROMAN}{_SUFFIX}|{_SPELLED}|\\the[a-z]+)"
COUNTER = rf"(?:{NUMERAL}|[A-Z])"

_ROMAN_PATTERN = re.compile(ROMAN)


def value(counter: str) -> int | None:
    """The number of a counter ("IV" is 4, "3-2" is 3); None for a letter or anything else."""
    word = " ".join(counter.lower().replace("-", " ").split()).removeprefix("the ")
    if digits := re.search(r"\d+", counter):
        return int(digits[0])
    if word in _ORDINAL or word in _CARDINAL:
        return _ORDINAL.get(word) or _CARDINAL[word]
    tens, _, ones = word.partition(" ")
    if tens in _TEN:
        return _TEN[tens] + _CARDINAL.get(ones, 0)
    return roman(counter)


def roman(counter: str) -> int | None:
    """The value of a Roman numeral in capitals; None for anything else."""
    if not _ROMAN_PATTERN.fullmatch(counter):
        return None
    values = [_VALUES[char] for char in counter]
    return sum(-number if number < after else number for number, after in zip(values, [*values[1:], 0], strict=True))


class NumberSequence:
    """The numbers of the headings accepted so far."""

    def __init__(self) -> None:
        self.last: dict[str, Number] = {}
        self.dotted: dict[int, bool] = {}
        self.is_after_chapter = False  # after a chapter, numbers go on from its own or start again

    def accepts(self, kind: str, number: Number, dotted: bool = False) -> bool:
        """Whether a heading continues the sequence; if so, its number is recorded as the latest."""
        if kind in ("part", "chapter"):
            self.is_after_chapter = True
            if kind == "chapter":
                self.last["chapter"] = number
            return True
        if kind not in ("number", "roman", "numeral"):
            return True
        if kind == "number" and self.dotted.get(len(number), dotted) != dotted:
            return False
        if not any(_follows(number, before) for before in self._predecessors(kind, number)):
            return False
        self._record(kind, number, dotted)
        return True

    def _predecessors(self, kind: str, number: Number) -> list[Number]:
        """The earlier numbers that a heading may continue; () where it may start at 1."""
        start: list[Number] = [()] if self.is_after_chapter or kind not in self.last else []
        if kind != "number":
            keys = [kind]
        elif len(number) > 1:
            keys = ["number", "several", "chapter"]
        else:
            keys = ["number" if self._counts_chapters else "single"]
        return [*start, *(self.last[key] for key in keys if key in self.last)]

    @property
    def _counts_chapters(self) -> bool:
        """Whether single numbers (1, 2, 3) count the chapters, as no heading says "Chapter"."""
        return "chapter" not in self.last

    def _record(self, kind: str, number: Number, dotted: bool) -> None:
        self.last[kind], self.is_after_chapter = number, False
        if kind == "number":
            self.last["several" if len(number) > 1 else "single"] = number
            self.dotted.setdefault(len(number), dotted)


def _follows(number: Number, last: Number) -> bool:
    """Whether a number continues `last`: one or two more at some level, and 0 or 1 at the levels below."""
    common = 0
    while common < min(len(number), len(last)) and number[common] == last[common]:
        common += 1
    if common == len(number):
        return False
    if common < len(last):
        appendix = common == 0 and last[0] < LETTER <= number[0]
        return (appendix or 0 < number[common] - last[common] <= 2) and _are_first(number[common + 1 :])
    return _are_first(number[common:]) or (not last and number[0] == LETTER + ord("A") and _are_first(number[1:]))


def _are_first(numbers: Number) -> bool:
    return all(number <= 1 for number in numbers)
