"""The numbers that Word makes for paragraphs: 1., 1.2, (a), Article IV (ECMA-376, part 1, section 17.9)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipelines.documents.markup.numerals import repeated_letters, roman
from pipelines.documents.word.styles import Format, Styles, is_on, value

LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_CARDINALS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_ORDINALS = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth", "twentieth",
)  # fmt: skip
_IDEOGRAPHS = "〇一二三四五六七八九十"


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    format: str = "decimal"
    text: str = ""
    restart: int | None = None  # the level, from 1, after which it begins anew; 0: never
    is_plain: bool = False  # all levels in figures
    style: str = ""
    separator: str = "tab"


@dataclass(slots=True)
class Numbers:
    """The numbered lists of a document, with their current counts."""

    levels: dict[str, dict[int, _Level]] = field(default_factory=dict)  # by list
    shared: dict[str, str] = field(default_factory=dict)  # by list, what it counts along with
    starts: dict[tuple[str, int], int] = field(default_factory=dict)
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)
    _begun: set[tuple[str, int]] = field(default_factory=set)

    @classmethod
    def of(cls, root: Any, styles: Styles) -> "Numbers":
        """The lists of a numbering part."""
        numbers = cls()
        if root is None:
            return numbers
        kinds = {_attribute(element, "abstractNumId"): element for element in root.iterfind("./{*}abstractNum")}
        linked = {value(element.find("./{*}styleLink")): name for name, element in kinds.items()}
        for element in root.iterfind("./{*}num"):
            identity, kind = _attribute(element, "numId"), value(element.find("./{*}abstractNumId"))
            if kind in kinds and (link := value(kinds[kind].find("./{*}numStyleLink"))):
                kind = linked.get(link, kind)
            numbers._add(identity, kind, kinds.get(kind), element)
        return numbers

    def next(self, format: Format, style: str, styles: Styles) -> str:
        """Count a paragraph; returns its number with the separator after it, "" if it has none."""
        levels = self.levels.get(format.list_id or "")
        if format.list_id is None or levels is None:
            return ""
        level_index = format.list_level
        if level_index is None:
            matching = [
                number for number, level in levels.items() if level.style and level.style in styles.chain(style)
            ]
            level_index = matching[0] if matching else 0
        level = levels.get(level_index)
        if level is None:
            return ""
        counts = self._counts.setdefault(self.shared[format.list_id], {})
        self._count(format.list_id, level_index, levels, counts)
        if level.format == "bullet":
            return ""
        text = _PLACE.sub(lambda match: _level_number(int(match[1]) - 1, level, levels, counts), level.text)
        return text + ("" if level.separator == "nothing" else " ") if text.strip() else ""

    def _count(self, identity: str, level_index: int, levels: Mapping[int, _Level], counts: dict[int, int]) -> None:
        is_first = (identity, level_index) not in self._begun
        self._begun.add((identity, level_index))
        if is_first and (identity, level_index) in self.starts:
            counts[level_index] = self.starts[identity, level_index]
        else:
            counts[level_index] = counts[level_index] + 1 if level_index in counts else levels[level_index].start
        for deeper in range(level_index + 1, LEVELS):
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or 0 < level_index + 1 <= restart:
                counts.pop(deeper, None)

    def _add(self, identity: str, kind: str, element: Any, num_element: Any) -> None:
        levels = {}
        for level in element.iterfind("./{*}lvl") if element is not None else ():
            levels[_number(_attribute(level, "ilvl"), 0)] = _level(level)
        for override in num_element.iterfind("./{*}lvlOverride"):
            level_index = _number(_attribute(override, "ilvl"), 0)
            if (level := override.find("./{*}lvl")) is not None:
                levels[level_index] = _level(level)
                self.starts[identity, level_index] = levels[level_index].start
            if start := value(override.find("./{*}startOverride")):
                self.starts[identity, level_index] = _number(start, 1)
        self.levels[identity], self.shared[identity] = levels, kind


def _level(element: Any) -> _Level:
    restart = value(element.find("./{*}lvlRestart"))
    return _Level(
        start=_number(value(element.find("./{*}start")), 0),
        format=value(element.find("./{*}numFmt")) or "decimal",
        text=value(element.find("./{*}lvlText")),
        restart=int(restart) if restart.isdecimal() else None,
        is_plain=is_on(element.find("./{*}isLgl")) or False,
        style=value(element.find("./{*}pStyle")),
        separator=value(element.find("./{*}suff")) or "tab",
    )


def _level_number(level_index: int, own: _Level, levels: Mapping[int, _Level], counts: Mapping[int, int]) -> str:
    level = levels.get(level_index, _Level())
    is_plain = own.is_plain and level.format != "decimalZero"
    return numeral(counts.get(level_index, level.start), "decimal" if is_plain else level.format)


def numeral(number: int, format: str) -> str:
    """A number in one of Word's formats; in digits for unsupported formats."""
    if format in ("lowerLetter", "upperLetter"):
        text = repeated_letters(number)
        return text.upper() if format == "upperLetter" else text
    if format in ("lowerRoman", "upperRoman"):
        return roman(number).upper() if format == "upperRoman" else roman(number)
    if format == "decimalZero":
        return f"{number:02}"
    if format == "ordinal":
        ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{ending}"
    words = {"cardinalText": _CARDINALS, "ordinalText": _ORDINALS}.get(format, ())
    if number < len(words):
        return words[number].capitalize()
    if format.startswith(("chineseCounting", "ideographDigital", "japaneseCounting", "taiwaneseCounting")):
        return _ideographs(number)
    return "" if format == "none" else str(number)


def _ideographs(number: int) -> str:
    if number < 11:
        return _IDEOGRAPHS[number] if number >= 0 else str(number)
    tens, ones = divmod(number, 10)
    if tens > 9:
        return str(number)
    return f"{_IDEOGRAPHS[tens] if tens > 1 else ''}十{_IDEOGRAPHS[ones] if ones else ''}"


def _attribute(element: Any, name: str) -> str:
    return next((text for key, text in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else otherwise
