"""Numbers and dates of an answer that stand in none of the passages that it cites.

A model that makes something up often makes up a year or an amount. Numbers are compared by value: "1,200", "1200.0" and
"twelve hundred" are equal, dates may be in any order, with months as numbers or English names. A number that a model
computed stands in no passage either, so what is missing is to be checked rather than wrong.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pipelines.plugins.ask.citations import without_citations

_NUMBER = re.compile(r"\d(?:[\d.,'’]*\d)?")
_GROUPED = re.compile(r"\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_SCALE = re.compile(r"\s*(?:thousand|million|billion|trillion|[mbt]n|[kmb])\b", re.IGNORECASE)
_LIST_MARK = re.compile(r"^\s*(?:[-*]\s*)?\d{1,3}[.)](?=\s)", re.MULTILINE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAME = (
    r"(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b"
)
_MONTH = re.compile(rf"\b{_MONTH_NAME}")
_MONTH_OF_DATE = re.compile(rf"\b{_MONTH_NAME}(?=\.?,?\s+\d)|\d(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH_NAME}")
_NUMERIC_DATE = re.compile(r"\b\d{4}-(\d\d)-\d\d\b|\b(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}\b")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for words in (_UNITS, _ORDINALS) for value, word in enumerate(words.split())}
_VALUES |= {word: 10 * value for value, word in enumerate(_TENS.split(), 2)}
_VALUES |= {"once": 1, "twice": 2, "both": 2, "pair": 2, "couple": 2, "dozen": 12}
_FACTORS = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_WORD = re.compile(r"[a-z]+")
_ROMAN = re.compile(r"\b(?=[IVX]{2}|[VX])(X{0,3})(IX|IV|V?I{0,3})\b")
_ROMAN_UNITS = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")


@dataclass(frozen=True, slots=True)
class _Contents:
    """Numbers in normal form, the same as `digits` alone without the zeros around them, and months."""

    numbers: set[str] = field(default_factory=set)
    digits: set[str] = field(default_factory=set)
    months: set[int] = field(default_factory=set)


def unsupported_numbers(answer: str, sources: Sequence[str]) -> list[str]:
    """The numbers, and the months of dates, that none of the sources has, as the answer writes them, in its order."""
    text = _LIST_MARK.sub("", without_citations(answer))
    contents = _contents(sources)
    missing = [
        (match.start(), match[0])
        for match in _NUMBER.finditer(text)
        if not any(contents.numbers.issuperset(reading) for reading in _readings(match[0]))
        and not (_SCALE.match(text, match.end()) and _digits(match[0]) in contents.digits)
    ]
    dates = ((match.start(), match[1] or match[2]) for match in _MONTH_OF_DATE.finditer(text))
    missing += [(start, name) for start, name in dates if _month(name) not in contents.months]
    return list(dict.fromkeys(number for _, number in sorted(missing)))


def _contents(sources: Iterable[str]) -> _Contents:
    contents = _Contents()
    for source in sources:
        for number in _NUMBER.findall(source):
            contents.numbers.update(*_readings(number))
            contents.digits.add(_digits(number))
        spelled = {*map(str, _spelled_numbers(source)), *map(str, _roman_numbers(source))}
        contents.numbers.update(spelled)
        contents.digits.update(map(_digits, spelled))
        contents.months.update(map(_month, _MONTH.findall(source)))
        contents.months.update(int(place) for date in _NUMERIC_DATE.findall(source) for place in date if place)
    contents.numbers.update(map(str, contents.months))
    return contents


def _readings(number: str) -> list[set[str]]:
    """The numbers that digits may stand for: "1.200" for 1200 or for 1.2, "24.12.1990" for three."""
    number = unicodedata.normalize("NFKC", number)
    readings = []
    if grouped := _GROUPED.fullmatch(number):
        readings.append({_normal(number.replace(grouped[1], "").replace(",", "."))})
    if _DECIMAL.fullmatch(number):
        readings.append({_normal(number.replace(",", "."))})
    return readings or [set(map(_normal, re.findall(r"\d+", number)))]


def _normal(digits: str) -> str:
    """Without the zeros before it, and those that end its fraction."""
    integer, _, fraction = digits.partition(".")
    return ".".join(filter(None, (integer.lstrip("0") or "0", fraction.rstrip("0"))))


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number).strip("0")


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _spelled_numbers(text: str) -> set[int]:
    """The numbers in English words, those within others too: "two hundred and five" is 2, 200, 5 and 205."""
    numbers, total = set[int](), 0
    for word in _WORD.findall(text.lower()):
        if word in _FACTORS:
            total = max(total, 1) * _FACTORS[word]
        elif word in _VALUES:
            value = _VALUES[word]
            numbers.add(value)
            total = total + value if total > value and total % 10 == 0 else value
        elif word != "and":
            total = 0
        if total:
            numbers.add(total)
    return numbers


def _roman_numbers(text: str) -> set[int]:
    return {10 * len(tens) + _ROMAN_UNITS.index(units) for tens, units in _ROMAN.findall(text)}
