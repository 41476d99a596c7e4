"""Sentences as words, stems and names. The splitter is sentencex; a title or a speaker's name stands alone.

In scripts without spaces each letter is a word, and its stem the pair that it makes with the next, as in rankings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from chunkers.shared.boundaries import ends_elsewhere, ends_of_sentencex
from chunkers.shared.words import word_count
from longdoc.characters import ranking_form
from longdoc.words import is_plain, spans, unspaced

Stretch = tuple[int, int]  # from which word of a sentence up to which, the end left out

_TOKEN = re.compile(r"\w+(?:[’'.,]\w+)*")
_INSIDE_TOKENS = re.compile(r"[’'.,]|_+")
_NO_WORD = (-1, -1, False)
_BETWEEN = re.compile(r" |-|–|\. | & |’|'")  # what may stand between two words of a name
_INSIDE_NAMES = frozenset(("of", "the", "de", "da", "del", "di", "du", "la", "le", "von", "van", "der", "for"))
# The first line of a paragraph if it is short and does not end as a sentence or go on as a clause.
_HEADING = re.compile(r"(?:\A|(?<=\n\n))[ \t]*\S+(?:[ \t]+\S+){0,7}[ \t]*(?<![.!?,;])\n(?!\n)")
_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a about after all also am an and any are as at be because been before being both but by can could did do does
        doing down during each for from had has have having he her here hers herself him himself his how i if in into
        is it its itself just me more most my no nor not of off on once only or other our out over own same shall she
        should so some such than that the their them then there these they this those through to too under until up
        upon us very was we were what when where which while who whom whose why will with would you your""",
    )
)
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))


class Word(NamedTuple):
    """A word of a sentence: as written, where it stands, and its stem ("" for a function word)."""

    text: str
    start: int
    end: int
    stem: str


@dataclass(frozen=True)
class Sentence:
    """A sentence, its white space made single; the rest is found when it is asked for."""

    text: str

    @cached_property
    def length(self) -> int:
        """Number of words, as chunk sizes count them."""
        return word_count(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its content words."""
        if is_plain(self.text):
            return frozenset(filter(None, map(english_stem, _TOKEN.findall(self.text))))
        return frozenset(word.stem for word in self.words if word.stem)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Its words in order."""
        if is_plain(self.text):
            return tuple(Word(m[0], m.start(), m.end(), english_stem(m[0])) for m in _TOKEN.finditer(self.text))
        return tuple(_words(self.text))

    @cached_property
    def names(self) -> tuple[Stretch, ...]:
        """Runs of capitalized words, with "of" and the like between them; none begins with a function word."""
        return tuple(_names(self))

    def part(self, stretch: Stretch) -> str:
        """The text of a stretch of its words."""
        return self.text[self.words[stretch[0]].start : self.words[stretch[1] - 1].end]


@lru_cache(maxsize=2048)
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text. Cached, because many questions are asked of one document's passages."""
    ends = {*ends_of_sentencex(text, "en"), *ends_elsewhere(text)}
    headings = {match.end() for match in _HEADING.finditer(text)}
    pieces = (text[start:end] for start, end in pairwise(sorted({0} | ends | headings)))
    return tuple(analyse(piece) for piece in pieces if not piece.isspace())


def analyse(text: str) -> Sentence:
    """A text as one sentence, white space made single."""
    return Sentence(" ".join(text.split()))


def _words(text: str) -> Iterator[Word]:
    """The words of a text in any script."""
    places = _word_places(text)
    for (_, before, was_letter), (start, end, letter), (after, reach, is_letter) in zip(
        [_NO_WORD, *places], places, [*places[1:], _NO_WORD], strict=False
    ):
        if not letter:
            stem = english_stem(text[start:end])
        elif is_letter and after == end:
            stem = ranking_form(text[start:reach])
        else:
            stem = "" if was_letter and before == start else ranking_form(text[start:end])
        yield Word(text[start:end], start, end, stem)


def _word_places(text: str) -> list[tuple[int, int, bool]]:
    """(start, end, is single letter) of each word; longer words may contain apostrophes, points or commas."""
    pairs: list[tuple[int, int, bool]] = []
    for start, end in spans(text):
        is_letter = unspaced(text[start:end])
        begin, before, was_letter = pairs[-1] if pairs else _NO_WORD
        if pairs and not (is_letter or was_letter) and _INSIDE_TOKENS.fullmatch(text, before, start):
            pairs[-1] = (begin, end, False)
        else:
            pairs.append((start, end, is_letter))
    return pairs


@lru_cache(maxsize=65536)
def english_stem(word: str) -> str:
    """The stem of a content word, without case, possessive, plural, -ed, -ing and last -e; "" for a function word."""
    low = re.sub(r"['’]s$", "", ranking_form(word).casefold())
    if low in _FUNCTION_WORDS:
        return ""
    for ending, replacement in _ENDINGS:
        if low.endswith(ending) and len(low) - len(ending) >= 3 and not low.endswith("ss"):
            return low[: -len(ending)] + replacement
    return low


def _names(sentence: Sentence) -> Iterator[Stretch]:
    position = 0
    while position < len(sentence.words):
        end = _end_of_name(sentence, position)
        if end > position:
            yield position, end
        position = max(end, position + 1)


def _end_of_name(sentence: Sentence, start: int) -> int:
    """The end of the name that begins at a word; `start` if none begins there."""
    words, end = sentence.words, start
    if not words[start].stem or not words[start].text[0].isupper():
        return start
    for position in range(start, len(words)):
        if position > start and not _BETWEEN.fullmatch(sentence.text, words[position - 1].end, words[position].start):
            break
        if words[position].text[0].isupper() or words[position].text[0].isdigit():
            end = position + 1
        elif words[position].text not in _INSIDE_NAMES or position - end >= 2:
            break
    return end
