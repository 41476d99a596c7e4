"""Where paragraphs, lines and sentences end.

Every function returns spans in order that cover all of a text but white space; no span starts or ends with any.

Sentences come from `sentencex` (Wikimedia, MIT licence; offsets in code points). It is given one paragraph at a time:
blank lines with spaces in them end a sentence too, and no quotation goes on beyond its paragraph. Its output is then
corrected:

- a full stop inside a word is no end: "1.A", "www.Example.org";
- an English abbreviation before a number is no end: "Vol. 3", "Eqs. (4)", "Chap. IV";
- sentences end at the marks of Khmer and Tibetan, and at the spaces of Thai and Lao, which have no codes of their own;
- a quotation mark stays with the words that it touches, also where marks are unbalanced (a speech that goes on over
  paragraphs opens each of them and closes once): `it!" said Tom.` has no end inside.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from chunkers.shared.words import visible_runs
from longdoc.code_points import code_points, encodable, positions_of
from longdoc.errors import unknown

Span = tuple[int, int]

LANGUAGES = frozenset(
    {"am", "ar", "bg", "bn", "ca", "da", "de", "el", "en", "es", "fi", "fr", "gu", "hi", "hy", "it", "ja", "kk", "kn"}
    | {"ml", "mr", "my", "nl", "pa", "pl", "pt", "ru", "sk", "ta", "te", "uk", "zh"}
)  # with their own rules in sentencex (zh: its full stops), which silently treats any other code as one of these

_RETURN, _LINE_FEED, _PARAGRAPH_SEPARATOR = map(ord, "\r\n\u2029")
_BREAKS = "\x85\u2028\u2029"  # of lines, beside carriage return and line feed
_CLAUSE = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？｡।॥။።؟۔។៕]+[」』”’）\"'»)\]]*")
_ELSEWHERE_PATTERN = re.compile(r"[\u0e01-\u0fff\u17d4\u17d5]")  # Thai, Lao, Tibetan, Khmer
_ENDS_ELSEWHERE = re.compile(
    r"[។៕།༎]+[\"'”’»)\]]*"  # Khmer, Tibetan
    r"|(?<=[\u0e01-\u0e2e\u0e30-\u0e45\u0e47-\u0e4e\u0e81-\u0ec5\u0ec8-\u0ece])\s+(?=[\u0e01-\u0e2e\u0e30-\u0e45\u0e81-\u0ec4])"
)  # the last: spaces between Thai or Lao letters, but those beside marks of repetition and abbreviation
_BLOCK = 50_000  # characters given to sentencex at once: its time grows with the quotations in a paragraph
_CLOSING = "\"'”’»)]"
_QUOTES = "\"'”’“‘«»"
_NUMBERED = re.compile(
    r"(?:^|[\s(\[])(?:[Vv]ols?|[Cc]h(?:s|ap|aps)?|[Ss]ec(?:t|s|ts)?|[Ff]igs?|[Ee]qs?|[Rr]efs?|[Tt]hms?|[Ll]em|[Pp]ts?|"
    r"[Ee]ds?|[Aa]pprox|App|Cor|Defs?|Exs?|Props?|Tabs?)\.\s*$"
)
_SPACED_STOP = re.compile(r"[^\S\x00-\x7f](?=\.)")
_NUMBER = re.compile(r"[(\[]?(?:\d|[IVXLC]+\b)")


def check_language(language: str) -> None:
    """Raise `UserError`, with the known codes, for a language without sentence rules."""
    if language not in LANGUAGES:
        raise unknown("language of sentences", language, LANGUAGES)


def paragraphs(text: str) -> list[Span]:
    """The spans between blank lines (or paragraph separators, U+2029)."""
    return _between_breaks(text, 2)


def lines(text: str) -> list[Span]:
    """The lines, but for blank ones."""
    return _between_breaks(text, 1)


def _between_breaks(text: str, minimum: int) -> list[Span]:
    """The spans between so many line breaks or more, with white space alone around them."""
    runs = visible_runs(text)
    codes = code_points(text)
    breaks = np.flatnonzero((codes == _LINE_FEED) | (codes == _RETURN))
    breaks = breaks[(codes[breaks] != _LINE_FEED) | (codes[breaks - 1] != _RETURN) | (breaks == 0)]  # "\r\n" is one
    breaks = np.append(breaks, rare_breaks := positions_of(codes, _BREAKS.__contains__))
    separators = rare_breaks[codes[rare_breaks] == _PARAGRAPH_SEPARATOR]
    run = np.searchsorted(runs[:, 0], np.append(breaks, separators), "right")  # the one that follows
    is_first = np.bincount(run, minlength=len(runs) + 1)[: len(runs)] >= minimum
    is_first[:1] = True
    starts = runs[is_first, 0]
    ends = np.append(runs[:-1, 1][is_first[1:]], runs[-1:, 1])
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def sentences(text: str, language: str = "en") -> list[Span]:
    """The sentences by the rules of `language`; none goes on beyond a blank line."""
    spans: list[Span] = []
    for start, end in paragraphs(text):
        spans += [(start + a, start + b) for a, b in sentences_of_paragraph(text[start:end], language)]
    return spans


def sentences_of_paragraph(text: str, language: str = "en") -> list[Span]:
    """The sentences of a text without blank lines."""
    ends = _corrected(text, ends_of_sentencex(text, language), language)
    if elsewhere_numbers := ends_elsewhere(text):
        ends = sorted({*ends, *elsewhere_numbers})
    return _cut(text, ends)


def ends_of_sentencex(text: str, language: str) -> list[int]:
    """Where sentencex says that sentences end, the end of the text included.

    A long text is read in blocks, since its time grows as the square of a paragraph's length: each up to a blank line
    or from the last certain end of the previous one.
    """
    if len(text) < _BLOCK and (ends := _ends_in(text, language)) and ends[-1] == len(text):
        return ends
    ends = []
    start = 0
    while start < len(text):
        block = text[start : start + _BLOCK]
        is_more = start + len(block) < len(text)
        if is_more and (blank := block.rfind("\n\n")) > 0:
            block, is_more = block[: blank + 2], False
        found_ends = _ends_in(block, language) or [len(block)]
        if is_more:
            found_ends = found_ends[:-1] or [block.rfind(" ") + 1 or len(block)]  # the last is the block's own end
        ends += [start + end for end in found_ends]
        start = ends[-1]
    return ends


def _ends_in(block: str, language: str) -> list[int]:
    """The ends that sentencex gives.

    It takes no halves of surrogate pairs, and panics where a single capital and a full stop have a space between them
    that is not ASCII's ("M\u00a0."): both are replaced by one character, so that places stay.
    """
    readable = block if block.isascii() else _SPACED_STOP.sub(" ", encodable(block))
    return [boundary["end_index"] for boundary in _sentencex()(language, readable)]


def ends_elsewhere(text: str) -> list[int]:
    """Where sentences end by the marks and spaces of scripts that sentencex has no rules for."""
    if text.isascii() or not _ELSEWHERE_PATTERN.search(text):
        return []
    return [match.end() for match in _ENDS_ELSEWHERE.finditer(text)]


def clauses(text: str) -> list[Span]:
    """The parts of a long sentence between full stops and the like, also within quotations and brackets."""
    return _cut(text, [match.end() for match in _CLAUSE.finditer(text)])


def _cut(text: str, ends: list[int]) -> list[Span]:
    """The parts of a text between `ends`, without outer white space."""
    spans: list[Span] = []
    start = 0
    for end in [*ends, len(text)]:
        stop = end
        while start < stop and text[start].isspace():
            start += 1
        while start < stop and text[stop - 1].isspace():
            stop -= 1
        if start < stop:
            spans.append((start, stop))
        start = end
    return spans


def _corrected(paragraph: str, ends: list[int], language: str) -> list[int]:
    kept_numbers: list[int] = []
    for end in ends:
        place = _beside_quotes(paragraph, end)
        if place is None or (paragraph[place - 1] == "." and paragraph[place : place + 1].isalnum()):
            continue
        if language == "en" and _goes_with_number(paragraph, place):
            continue
        if place > (kept_numbers[-1] if kept_numbers else 0):
            kept_numbers.append(place)
    return kept_numbers


def _beside_quotes(text: str, end: int) -> int | None:
    """`end` moved past a quotation mark; None where the sentence goes on after the mark."""
    if end == len(text):
        return end
    if text[end - 1] in _QUOTES and text[end - 2 : end - 1].isspace() and not text[end].isspace():
        return end - 1
    if text[end] not in _CLOSING or text[end - 1].isspace():
        return end
    while end < len(text) and text[end] in _CLOSING:
        end += 1
    rest = text[end : end + 80]
    return end if not rest.strip() or (rest[0].isspace() and not rest.lstrip()[0].islower()) else None


def _goes_with_number(text: str, end: int) -> bool:
    return bool(_NUMBER.match(text, end) and _NUMBERED.search(text[max(end - 12, 0) : end]))


@cache
def _sentencex() -> Callable[[str, str], list[dict[str, Any]]]:
    import sentencex

    return cast("Callable[[str, str], list[dict[str, Any]]]", sentencex.get_sentence_boundaries)
