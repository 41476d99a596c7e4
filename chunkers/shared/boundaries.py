"""Splits texts into paragraphs, lines and sentences.

Every function returns spans in order that cover all of a text but white space; no span starts or ends with white space.

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
from longdoc.characters import code_points, encodable, foreign_characters, positions_of
from longdoc.errors import unknown

Span = tuple[int, int]

LANGUAGES = frozenset(
    {"am", "ar", "bg", "bn", "ca", "da", "de", "el", "en", "es", "fi", "fr", "gu", "hi", "hy", "it", "ja", "kk", "kn"}
    | {"ml", "mr", "my", "nl", "pa", "pl", "pt", "ru", "sk", "ta", "te", "uk", "zh"}
)  # with their own rules in sentencex (zh: its full stops), which silently treats any other code as one of these

_RETURN, _LINE_FEED, _PARAGRAPH_SEPARATOR = map(ord, "\r\n\u2029")
_BREAKS = "\x85\u2028\u2029"  # of lines, beside carriage return and line feed
_CLAUSE = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？｡।॥။።؟۔។៕]+[」』”’）\"'»)\]]*")
_OTHER_SCRIPTS = re.compile(r"[\u0e01-\u0fff\u17d4\u17d5]")  # Thai, Lao, Tibetan, Khmer
_OTHER_SCRIPT_ENDS = re.compile(
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
    return _as_tuples(_between_breaks(text, 2)[0])


def lines(text: str) -> list[Span]:
    """The spans of the lines that are not blank."""
    return _as_tuples(_between_breaks(text, 1)[0])


def paragraphs_and_lines(text: str) -> tuple[Offsets, Offsets]:
    """The spans of paragraphs and of lines, [paragraphs, 2] and [lines, 2], from one pass over the text."""
    paragraph_spans, line_spans = _between_breaks(text, 2, 1)
    return paragraph_spans, line_spans


def _as_tuples(spans: Offsets) -> list[Span]:
    return list(zip(*spans.T.tolist(), strict=True))


def _between_breaks(text: str, *minimums: int) -> list[Offsets]:
    """For each of `minimums`, the spans between at least this many line breaks, with only white space around them."""
    runs = visible_runs(text)
    codes = code_points(text)
    breaks = np.flatnonzero((codes == _LINE_FEED) | (codes == _RETURN))
    breaks = breaks[(codes[breaks] != _LINE_FEED) | (codes[breaks - 1] != _RETURN) | (breaks == 0)]  # "\r\n" is one
    breaks = np.append(breaks, rare_breaks := positions_of(codes, _BREAKS.__contains__))
    separators = rare_breaks[codes[rare_breaks] == _PARAGRAPH_SEPARATOR]
    next_run = np.searchsorted(runs[:, 0], np.append(breaks, separators), "right")  # the one that follows
    break_counts = np.bincount(next_run, minlength=len(runs) + 1)[: len(runs)]
    return [_joined(runs, break_counts >= minimum) for minimum in minimums]


def _joined(runs: Offsets, is_first: npt.NDArray[np.bool_]) -> Offsets:
    """Join runs into spans; a span starts at each run with `is_first`, and at the first run."""
    is_first[:1] = True
    ends = np.append(runs[:-1, 1][is_first[1:]], runs[-1:, 1])
    return np.stack((runs[is_first, 0], ends), axis=1)


def sentences(text: str, language: str = "en") -> list[Span]:
    """The sentences by the rules of `language`; none goes on beyond a blank line."""
    return list(chain.from_iterable(sentences_of_blocks(text, paragraphs(text), language)))


def sentences_of_blocks(text: str, blocks: Sequence[Span], language: str = "en") -> Iterator[list[Span]]:
    """The sentences of each of `blocks`, spans of `text` without blank lines and outer white space."""
    has_other_scripts = _OTHER_SCRIPTS.search("".join(foreign_characters(text))) is not None
    for (start, end), ends in zip(blocks, _ends_of_blocks(text, blocks, language), strict=True):
        if len(ends) == 1 and not has_other_scripts:
            yield [(start, end)]
            continue
        block = text[start:end]
        ends = _correct_ends(block, ends, language)
        if has_other_scripts and (other_ends := ends_elsewhere(block)):
            ends = sorted({*ends, *other_ends})
        yield _cut(block, ends, start)


def _ends_of_blocks(text: str, blocks: Sequence[Span], language: str) -> Iterator[list[int]]:
    """The sentence ends of each block by sentencex; short neighbours are given to it together, as paragraphs."""
    readable = _readable(text)
    for batch in _batches(blocks):
        joined = _SEPARATOR.join([readable[start:end] for start, end in batch])
        for (start, end), ends in zip(batch, _ends_of_paragraphs(joined, language), strict=True):
            yield ends if ends[-1:] == [end - start] else ends_of_sentencex(text[start:end], language)


def _batches(blocks: Iterable[Span]) -> Iterator[list[Span]]:
    """Groups of neighbouring blocks with at most `_BATCH` characters together; a longer block is alone."""
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
    """The sentence ends in each paragraph, counted from its start; empty if `joined` is too long for this."""
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
    """The ends of sentences by sentencex, including the end of the text.

    A long text is read in blocks, since its time grows as the square of a paragraph's length: each up to a blank line
    or from the last certain end of the previous one.
    """
    if len(text) < _BLOCK and (ends := _ends_in(text, language)) and ends[-1] == len(text):
        return ends
    ends = []
    start = 0
    while start < len(text):
        block = text[start : start + _BLOCK]
        is_partial = start + len(block) < len(text)
        if is_partial and (blank := block.rfind("\n\n")) > 0:
            block, is_partial = block[: blank + 2], False
        block_ends = _ends_in(block, language) or [len(block)]
        if is_partial:
            block_ends = block_ends[:-1] or [block.rfind(" ") + 1 or len(block)]  # the last is the block's own end
        ends += [start + end for end in block_ends]
        start = ends[-1]
    return ends


def _ends_in(block: str, language: str) -> list[int]:
    """Sentence ends by sentencex; its fast function is used for short texts only, as it drops parts of long ones."""
    readable = _readable(block)
    if len(block) <= _BATCH:
        return list(accumulate(map(len, _sentencex().segment(language, readable))))
    return [boundary["end_index"] for boundary in _sentencex().get_sentence_boundaries(language, readable)]


def _readable(text: str) -> str:
    """`text` changed so that sentencex can read it, with the same length.

    sentencex does not accept halves of surrogate pairs, and panics where a single capital and a full stop have a space
    between them that is not ASCII's ("M\u00a0."): both are replaced by one character.
    """
    characters = foreign_characters(text)
    if any("\ud800" <= character <= "\udfff" for character in characters):
        text = encodable(text)
    for space in filter(str.isspace, characters):
        text = text.replace(f"{space}.", " .")
    return text


def ends_elsewhere(text: str) -> list[int]:
    """The ends of sentences in Thai, Lao, Tibetan and Khmer, for which sentencex has no rules."""
    if text.isascii() or not _OTHER_SCRIPTS.search(text):
        return []
    return [match.end() for match in _OTHER_SCRIPT_ENDS.finditer(text)]


def clauses(text: str) -> list[Span]:
    """The spans of a long sentence between full stops and similar marks, also inside quotations and brackets."""
    return _cut(text, [match.end() for match in _CLAUSE.finditer(text)])


def _cut(text: str, ends: Iterable[int], offset: int = 0) -> list[Span]:
    """The spans of a text between `ends`, without outer white space, raised by `offset`."""
    spans: list[Span] = []
    start = 0
    for end in [*ends, len(text)]:
        part = text[start:end]
        stop = start + len(part.rstrip())
        if stop > start:
            spans.append((offset + end - len(part.lstrip()), offset + stop))
        start = end
    return spans


def _correct_ends(block: str, ends: list[int], language: str) -> list[int]:
    """The ends, moved past closing quotation marks, without those inside a word, a quotation or before a number."""
    corrected: list[int] = []
    latest = 0
    for end in ends:
        position = end if block[end - 1] == " " else _beside_quotes(block, end)
        if position is None or (block[position - 1] == "." and block[position : position + 1].isalnum()):
            continue
        if language == "en" and _goes_with_number(block, position):
            continue
        if position > latest:
            corrected.append(latest := position)
    return corrected


def _beside_quotes(text: str, end: int) -> int | None:
    """`end` moved past closing quotation marks; None where the sentence goes on after them."""
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
