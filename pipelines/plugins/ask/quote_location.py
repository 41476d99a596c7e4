"""Where an answer is in a text, word for word."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

from longdoc import words as longdoc_words
from pipelines.records import Span

_COMMON_ANSWERS = frozenset(("yes", "no", "true", "false", "unanswerable"))  # also words of passages that do not answer
_WORD = re.compile(r"\w")
_BESIDE = 100  # characters on each side of a place that show whether it is within a word
_SPACE = re.compile(r"\s+")


def located(text: str, answer: str) -> Span | None:
    """The span where an answer occurs word for word in a text, white space aside; None where it does not.

    Letters with marks are the same whether written as one code point or as several (the normal form NFC). Answers like
    "yes" occur anywhere, and are not looked for.
    """
    if " ".join(answer.strip().rstrip(".").split()).casefold() in _COMMON_ANSWERS:
        return None
    span = _verbatim(text, answer)
    if span or text.isascii() or answer.isascii():
        return span
    composed = unicodedata.normalize("NFC", answer)
    if unicodedata.is_normalized("NFC", text):
        return None if composed == answer else _verbatim(text, composed)
    letters = _clusters(text)
    starts = [0, *accumulate(len(letter) for letter in letters)]
    origins = [i for i, letter in enumerate(letters) for _ in unicodedata.normalize("NFC", letter)]
    span = _verbatim("".join(unicodedata.normalize("NFC", letter) for letter in letters), composed)
    return span and (starts[origins[span[0]]], starts[origins[span[1] - 1] + 1])


def _clusters(text: str) -> list[str]:
    """The letters of a text, each with its marks."""
    import regex

    return list(regex.findall(r"\X", text))


def _verbatim(text: str, answer: str) -> Span | None:
    """The first span of an answer in a text, white space aside, that begins and ends with whole words."""
    words = answer.strip().rstrip(".").split()
    if not words:
        return None
    position = text.find(words[0])
    while position >= 0:
        end = _end_of(words, text, position)
        if end is not None and not _cuts(text, position, position - 1) and not _cuts(text, end, end):
            return position, end + (answer.rstrip().endswith(".") and text.startswith(".", end))
        position = text.find(words[0], position + 1)
    return None


def _cuts(text: str, place: int, outside: int) -> bool:
    """Whether a span that begins or ends at `place` cuts a word; `outside` is the character next to it."""
    near = text[max(place - _BESIDE, 0) : place + _BESIDE]
    if longdoc_words.is_plain(near):
        return 0 <= outside < len(text) and _WORD.match(text, outside) is not None
    position = min(place, _BESIDE)
    return any(start < position < end for start, end in longdoc_words.spans(near))


def _end_of(words: Sequence[str], text: str, position: int) -> int | None:
    """The end of words that a text has from `position` on with white space between them; None where it has others.

    Compared one by one: a regular expression of them would take a hundred times their memory.
    """
    for number, word in enumerate(words):
        if number:
            gap = _SPACE.match(text, position)
            if gap is None:
                return None
            position = gap.end()
        if not text.startswith(word, position):
            return None
        position += len(word)
    return position
