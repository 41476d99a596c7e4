"""The language of a text, and the forms by which words of any language are compared.

A language is told by its stop words, and half as much by words with a letter that few other languages have
(`longdoc.stop_words`). A word in another script than its text's language has is of the usual language of its script.

A word is compared by its stem (Snowball, https://snowballstem.org). Where a language has no stemmer, it is compared by
its n-grams of four letters, of two in Korean and three in Hebrew, whose words are shorter (McNamee and Mayfield 2004,
"Character N-Gram Tokenization for European Language Text Retrieval").
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from longdoc.stop_words import LETTERS, STOP_WORDS
from longdoc.words import terms, unspaced

ENGLISH = "english"
LEAST = 4  # evidence, two for a stop word, without which a text is taken for English
SAMPLE = 20_000  # characters of a text that tell its language
_USUAL = {
    "LATIN": ENGLISH, "CYRILLIC": "russian", "ARABIC": "arabic", "GREEK": "greek", "DEVANAGARI": "hindi",
    "TAMIL": "tamil", "ARMENIAN": "armenian", "HEBREW": "hebrew", "HANGUL": "korean",
}  # fmt: skip
_GRAM = {"korean": 2, "hebrew": 3, "vietnamese": 7}  # letters; a Vietnamese word is one syllable of up to seven
_USUAL_GRAM = 4
_PARTS = re.compile(r"\d+|\D+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_WITHOUT_ACCENT = str.maketrans({"ı": "i", "ł": "l", "đ": "d", "ø": "o", "ħ": "h", "æ": "ae", "œ": "oe", "ß": "ss"})


def language_of(text: str) -> str:
    """The language of a text by its beginning; English where nothing tells another."""
    return language_of_words(Counter(terms(text[:SAMPLE])))


def language_of_words(counts: Mapping[str, int], known: str = ENGLISH) -> str:
    """The language of a text with so many of each word; `known` where not twice as much tells another."""
    evidence = dict.fromkeys(STOP_WORDS, 0)
    stop_words = languages_of_stop_words()
    for word in (word for word in counts if word in stop_words or not word.isascii()):
        for language, weight in told(word).items():
            evidence[language] += weight * counts[word]
    best = max(evidence, key=evidence.__getitem__)
    return best if evidence[best] >= max(LEAST, 2 * evidence[known]) else known


@lru_cache(maxsize=65536)
def told(word: str) -> dict[str, int]:
    """The languages that a word tells, and how much."""
    letters = {} if word.isascii() else {name: 1 for name, own in LETTERS.items() if not own.isdisjoint(word)}
    return letters | dict.fromkeys(languages_of_stop_words().get(word, ()), 2)


def stop_words(words: Sequence[str], language: str) -> set[str]:
    """Those of the words of a text in a language that are stop words."""
    return {word for own, group in _by_language(words, language).items() for word in group if word in STOP_WORDS.get(own, ())}


def stems(words: Sequence[str], language: str) -> list[tuple[str, ...]]:
    """What each word of a text in a language is compared by: its stem, or its n-grams."""
    found: dict[str, tuple[str, ...]] = {}
    for own, group in _by_language(words, language).items():
        found.update(zip(group, _stems(group, own), strict=True))
    return [found[word] for word in words]


def _by_language(words: Sequence[str], language: str) -> dict[str, list[str]]:
    """The words by their own languages."""
    latin = own_language("a", language)
    groups: dict[str, list[str]] = {latin: [word for word in words if word.isascii()]}
    for word in words:
        if not word.isascii():
            groups.setdefault(own_language(word, language), []).append(word)
    return groups


def own_language(word: str, language: str) -> str:
    """The language of a word in a text of a language; "" of a number or a script without spaces."""
    if word.isascii():
        return language if "LATIN" in _scripts(language) else ENGLISH
    script = _script(word)
    return language if script in _scripts(language) else _USUAL.get(script, script)


def without_accents(word: str) -> str:
    """A word of the Latin, Greek or Cyrillic alphabet without accents; another as it is."""
    if word.isascii() or _script(word) not in ("LATIN", "GREEK", "CYRILLIC"):
        return word
    return _ACCENTS.sub("", unicodedata.normalize("NFD", word)).translate(_WITHOUT_ACCENT)


def _stems(words: list[str], language: str) -> list[tuple[str, ...]]:
    """The stems or n-grams of words of one language."""
    import Stemmer

    if not language:
        return [(word,) for word in words]
    if language in Stemmer.algorithms():
        return [(stem,) for stem in Stemmer.Stemmer(language).stemWords(words)]  # not safe between threads
    size = _GRAM.get(language, _USUAL_GRAM)
    return [tuple(gram for part in _PARTS.findall(word) for gram in _grams(part, size)) for word in words]


def _grams(part: str, size: int) -> list[str]:
    """The n-grams of a part of a word; a number is whole."""
    if part.isdecimal() or len(part) <= size:
        return [part]
    return [part[start : start + size] for start in range(len(part) - size + 1)]


@lru_cache(maxsize=65536)
def _script(word: str) -> str:
    """The script of a word's last letter, as Unicode's names of letters begin; "" where words have no spaces between."""
    letter = next(filter(str.isalpha, reversed(word)), "")
    return unicodedata.name(letter, "").partition(" ")[0] if letter and not unspaced(letter) else ""


@cache
def _scripts(language: str) -> frozenset[str]:
    """The scripts that a language is written in."""
    return frozenset(map(_script, STOP_WORDS.get(language, ())))


@cache
def languages_of_stop_words() -> dict[str, list[str]]:
    """The languages of each stop word."""
    languages: dict[str, list[str]] = {}
    for language, words in STOP_WORDS.items():
        for word in words:
            languages.setdefault(word, []).append(language)
    return languages
