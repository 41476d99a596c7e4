"""The language of a text, and the forms by which words of any language are compared.

A language is told by its stop words, and half as much by words with a letter that few other languages have
(`longdoc.stop_words`). A word in another script than its text's language has is of the usual language of its script.

A word is compared by its stem (Snowball, https://snowballstem.org). Where a language has no stemmer, it is compared by
its n-grams of four letters, of two in Korean and three in Hebrew, whose words are shorter (McNamee and Mayfield 2004,
"Character N-Gram Tokenization for European Language Text Retrieval").
"""

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from longdoc.stop_words import LETTERS, STOP_WORDS
from longdoc.words import terms, unspaced

# The first form of each word, "" for none, and the further forms of some, by their numbers.
Forms = tuple[list[str], dict[int, tuple[str, ...]]]

ENGLISH = "english"
LEAST = 2  # different words that tell a language: one alone, such as "die", tells nothing
SAMPLE = 20_000  # characters of a text that tell its language
_USUAL = {
    "LATIN": ENGLISH, "CYRILLIC": "russian", "ARABIC": "arabic", "GREEK": "greek", "DEVANAGARI": "hindi",
    "TAMIL": "tamil", "ARMENIAN": "armenian", "HEBREW": "hebrew", "HANGUL": "korean",
}  # fmt: skip
_GRAM = {"korean": 2, "hebrew": 3, "vietnamese": 7}  # letters; a Vietnamese word is one syllable of up to seven
_USUAL_GRAM = 4
_KEPT = 50_000  # words whose stems a stemmer keeps: neighbouring documents have most words alike
_stemmers = threading.local()  # a stemmer is not safe between threads
_PARTS = re.compile(r"\d+|\D+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_WITHOUT_ACCENT = str.maketrans({"ı": "i", "ł": "l", "đ": "d", "ø": "o", "ħ": "h", "æ": "ae", "œ": "oe", "ß": "ss"})


def language_of(text: str) -> str:
    """The language of a text by its beginning; English where nothing tells another."""
    return language_of_words(Counter(word for word in terms(text[:SAMPLE]) if len(word) > 1))


def language_of_words(counts: Mapping[str, int], known: str = ENGLISH) -> str:
    """The language of a text with so many of each word; `known` where not twice as much tells another."""
    evidence, kinds = dict.fromkeys(STOP_WORDS, 0), dict.fromkeys(STOP_WORDS, 0)
    stop_words = languages_of_stop_words()
    for word in (word for word in counts if word in stop_words or not word.isascii()):
        for language, weight in told(word).items():
            evidence[language] += weight * counts[word]
            kinds[language] += 1
    best = max(evidence, key=evidence.__getitem__)
    return best if kinds[best] >= LEAST and evidence[best] >= 2 * evidence[known] else known


@lru_cache(maxsize=65536)
def told(word: str) -> dict[str, int]:
    """The languages that a word tells, and how much."""
    letters = {} if word.isascii() else {name: 1 for name, own in LETTERS.items() if not own.isdisjoint(word)}
    return letters | dict.fromkeys(languages_of_stop_words().get(word, ()), 2)


def stop_words(words: Sequence[str], language: str) -> set[int]:
    """The numbers of those of the words of a text in a language that are stop words."""
    foreign, usual = _foreign(words, language), STOP_WORDS.get(language, frozenset())
    found = {number for number, word in enumerate(words) if word in usual and number not in foreign}
    return found | {number for number, own in foreign.items() if words[number] in STOP_WORDS.get(own, ())}


def stems(words: Sequence[str], language: str) -> Forms:
    """What each word of a text in a language is compared by: its stem, or its n-grams."""
    first, more = _stems(list(words), language)
    by_language: dict[str, list[int]] = {}
    for number, own in _foreign(words, language).items():
        by_language.setdefault(own, []).append(number)
    for own, numbers in by_language.items():
        own_first, own_more = _stems([words[number] for number in numbers], own)
        for place, number in enumerate(numbers):
            first[number] = own_first[place]
            more.pop(number, None)
            if place in own_more:
                more[number] = own_more[place]
    return first, more


def _foreign(words: Sequence[str], language: str) -> dict[int, str]:
    """The numbers of the words that are not in the language of their text, and the languages that they are in."""
    is_latin = own_language("a", language) == language
    own = {
        number: own_language(word, language) for number, word in enumerate(words) if not (is_latin and word.isascii())
    }
    return {number: name for number, name in own.items() if name != language}


def stemmed(words: list[str], language: str) -> list[str]:
    """The stems of words in a language that has a stemmer."""
    import Stemmer

    if language not in (known := vars(_stemmers)):
        known[language] = Stemmer.Stemmer(language, _KEPT)
    stems: list[str] = known[language].stemWords(words)
    return stems


@cache
def stemmers() -> frozenset[str]:
    """The languages that have a stemmer."""
    import Stemmer

    return frozenset(Stemmer.algorithms())


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


def _stems(words: list[str], language: str) -> Forms:
    """The stems or n-grams of words of one language."""
    if language in stemmers():
        return stemmed(words, language), {}
    if not language:
        return words, {}
    size = _GRAM.get(language, _USUAL_GRAM)
    grams = [[gram for part in _PARTS.findall(word) for gram in _grams(part, size)] for word in words]
    return [every[0] for every in grams], {n: tuple(every[1:]) for n, every in enumerate(grams) if len(every) > 1}


def _grams(part: str, size: int) -> list[str]:
    """The n-grams of a part of a word; a number is whole."""
    if part.isdecimal() or len(part) <= size:
        return [part]
    return [part[start : start + size] for start in range(len(part) - size + 1)]


@lru_cache(maxsize=65536)
def _script(word: str) -> str:
    """The script of a word's last letter, as Unicode names it; "" where words have no spaces between."""
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
