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
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers.shared.words import Offsets, visible_runs
from longdoc.code_points import code_points, encodable, positions_of
from longdoc.errors import unknown
from longdoc.normal_forms import foreign_characters

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
_BATCH = 2500  # characters of the texts for its fast function, which parts them where they have 10,240 bytes
_SEPARATOR = "\n\n"  # of sentencex's paragraphs
_CLOSING = "\"'”’»)]"
_QUOTES = "\"'”’“‘«»"
_NUMBERED = re.compile(
    r"(?:^|[\s(\[])(?:[Vv]ols?|[Cc]h(?:s|ap|aps)?|[Ss]ec(?:t|s|ts)?|[Ff]igs?|[Ee]qs?|[Rr]efs?|[Tt]hms?|[Ll]em|[Pp]ts?|"
    r"[Ee]ds?|[Aa]pprox|App|Cor|Defs?|Exs?|Props?|Tabs?)\.\s*$"
)
_NUMBER = re.compile(r"[(\[]?(?:\d|[IVXLC]+\b)")
_NUMBER_STARTS = frozenset("([IVXLC")


def check_language(language: str) -> None:
    """Raise `UserError`, with the known codes, for a language without sentence rules."""
    if language not in LANGUAGES:
        raise unknown("language of sentences", language, LANGUAGES)


def paragraphs(text: str) -> list[Span]:
    """The spans between blank lines (or paragraph separators, U+2029)."""
    return _listed(_between_breaks(text, 2)[0])


def lines(text: str) -> list[Span]:
    """The lines, but for blank ones."""
    return _listed(_between_breaks(text, 1)[0])


def paragraphs_and_lines(text: str) -> tuple[Offsets, Offsets]:
    """`paragraphs` and `lines`, [paragraphs, 2] and [lines, 2], of one pass over the text."""
    paragraph_spans, line_spans = _between_breaks(text, 2, 1)
    return paragraph_spans, line_spans


def _listed(spans: Offsets) -> list[Span]:
    return list(zip(*spans.T.tolist(), strict=True))


def _between_breaks(text: str, *minimums: int) -> list[Offsets]:
    """For each minimum the spans between so many line breaks or more, with white space alone around them."""
    runs = visible_runs(text)
    codes = code_points(text)
    breaks = np.flatnonzero((codes == _LINE_FEED) | (codes == _RETURN))
    breaks = breaks[(codes[breaks] != _LINE_FEED) | (codes[breaks - 1] != _RETURN) | (breaks == 0)]  # "\r\n" is one
    breaks = np.append(breaks, rare_breaks := positions_of(codes, _BREAKS.__contains__))
    separators = rare_breaks[codes[rare_breaks] == _PARAGRAPH_SEPARATOR]
    run = np.searchsorted(runs[:, 0], np.append(breaks, separators), "right")  # the one that follows
    numbers = np.bincount(run, minlength=len(runs) + 1)[: len(runs)]
    return [_joined(runs, numbers >= minimum) for minimum in minimums]


def _joined(runs: Offsets, is_first: npt.NDArray[np.bool_]) -> Offsets:
    """Runs as spans, each from a first one, as the first of all is, to the last before the next."""
    is_first[:1] = True
    ends = np.append(runs[:-1, 1][is_first[1:]], runs[-1:, 1])
    return np.stack((runs[is_first, 0], ends), axis=1)


def sentences(text: str, language: str = "en") -> list[Span]:
    """The sentences by the rules of `language`; none goes on beyond a blank line."""
    return list(chain.from_iterable(sentences_of_blocks(text, paragraphs(text), language)))


def sentences_of_blocks(text: str, blocks: Sequence[Span], language: str = "en") -> Iterator[list[Span]]:
    """The sentences of each of some stretches of `text`, which have no blank lines and no outer white space."""
    is_elsewhere = _ELSEWHERE_PATTERN.search("".join(foreign_characters(text))) is not None
    for (start, end), ends in zip(blocks, _ends_of_blocks(text, blocks, language), strict=True):
        if len(ends) == 1 and not is_elsewhere:
            yield [(start, end)]
            continue
        block = text[start:end]
        ends = _corrected(block, ends, language)
        if is_elsewhere and (elsewhere_numbers := ends_elsewhere(block)):
            ends = sorted({*ends, *elsewhere_numbers})
        yield _cut(block, ends, start)


def _ends_of_blocks(text: str, blocks: Sequence[Span], language: str) -> Iterator[list[int]]:
    """`ends_of_sentencex` of each block; neighbouring short ones are read together, as paragraphs."""
    readable = _readable(text)
    for batch in _batches(blocks):
        joined = _SEPARATOR.join([readable[start:end] for start, end in batch])
        for (start, end), ends in zip(batch, _ends_of_paragraphs(joined, language), strict=True):
            yield ends if ends[-1:] == [end - start] else ends_of_sentencex(text[start:end], language)


def _batches(blocks: Iterable[Span]) -> Iterator[list[Span]]:
    """Neighbouring blocks that have `_BATCH` characters or fewer together; a longer one is alone."""
    batch: list[Span] = []
    size = 0
    for start, end in blocks:
        size += end - start + len(_SEPARATOR)
        if batch and size > _BATCH:
            yield batch
            batch, size = [], end - start + len(_SEPARATOR)
        batch.append((start, end))
    if batch:
        yield batch


def _ends_of_paragraphs(joined: str, language: str) -> Iterator[list[int]]:
    """The ends in each paragraph, counted from its start; none where they are too long for `_ends_in`'s fast way."""
    if len(joined) > _BATCH:
        yield []
        return
    ends: list[int] = []
    end = 0
    for segment in [*_sentencex().segment(language, joined), _SEPARATOR]:
        if segment == _SEPARATOR:
            yield ends
            ends, end = [], 0
        else:
            end += len(segment)
            ends.append(end)


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
    """The ends that sentencex gives: of a short text by its fast function, which leaves out parts of a long one."""
    readable = _readable(block)
    if len(block) <= _BATCH:
        return list(accumulate(map(len, _sentencex().segment(language, readable))))
    return [boundary["end_index"] for boundary in _sentencex().get_sentence_boundaries(language, readable)]


def _readable(text: str) -> str:
    """`text` as sentencex takes it, with all places as they were.

    It takes no halves of surrogate pairs, and panics where a single capital and a full stop have a space between them
    that is not ASCII's ("M\u00a0."): both are replaced by one character.
    """
    characters = foreign_characters(text)
    if any("\ud800" <= character <= "\udfff" for character in characters):
        text = encodable(text)
    for space in filter(str.isspace, characters):
        text = text.replace(f"{space}.", " .")
    return text


def ends_elsewhere(text: str) -> list[int]:
    """Where sentences end by the marks and spaces of scripts that sentencex has no rules for."""
    if text.isascii() or not _ELSEWHERE_PATTERN.search(text):
        return []
    return [match.end() for match in _ENDS_ELSEWHERE.finditer(text)]


def clauses(text: str) -> list[Span]:
    """The parts of a long sentence between full stops and the like, also within quotations and brackets."""
    return _cut(text, [match.end() for match in _CLAUSE.finditer(text)])


def _cut(text: str, ends: Iterable[int], offset: int = 0) -> list[Span]:
    """The parts of a text between `ends`, without outer white space, in one that has `offset` characters before it."""
    spans: list[Span] = []
    start = 0
    for end in [*ends, len(text)]:
        part = text[start:end]
        stop = start + len(part.rstrip())
        if stop > start:
            spans.append((offset + end - len(part.lstrip()), offset + stop))
        start = end
    return spans


def _corrected(block: str, ends: list[int], language: str) -> list[int]:
    kept_numbers: list[int] = []
    latest = 0
    for end in ends:
        place = end if block[end - 1] == " " else _beside_quotes(block, end)
        if place is None or (block[place - 1] == "." and block[place : place + 1].isalnum()):
            continue
        if language == "en" and _goes_with_number(block, place):
            continue
        if place > latest:
            kept_numbers.append(latest := place)
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
    first = text[end : end + 1]
    if not first.isdecimal() and first not in _NUMBER_STARTS:  # quicker than the patterns
        return False
    return bool(_NUMBER.match(text, end) and _NUMBERED.search(text[max(end - 12, 0) : end]))


@cache
def _sentencex() -> Any:
    import sentencex

    return sentencex
