"""The words of questions and passages as `ask` compares them: those that rankings count, by their stems.

The English stems are those of the reader `extractive`. Of a document in another language they are what rankings count
too (`longdoc.languages`); so a sentence has what its passage was found by.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from longdoc import languages
from longdoc.languages import ENGLISH
from longdoc.words import terms
from models.baselines._sentences import Sentence, Word, english_stem

CONTRACTED = re.compile(
    r"(?i)\b(?:can|won|shan|ain)['’]t\b|(?<=\w)(?:n?['’]t|['’](?:s|d|m|ll|re|ve))\b"
)  # function words


@dataclass(frozen=True)
class Words(Sentence):
    """A sentence by its stems in some languages, which are all that a question may be answered in."""

    languages: tuple[str, ...] = (ENGLISH,)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its content words."""
        return stems_of(self.text, self.languages)

    def has(self, word: Word) -> bool:
        """Whether it has another sentence's word, or each of its parts, or that is a function word."""
        return not word.stem or stems_of(word.text, self.languages) <= self.stems


def analyse(text: str, languages: Iterable[str] = (ENGLISH,)) -> Words:
    """A text as one sentence."""
    return Words(" ".join(text.split()), tuple(dict.fromkeys(languages)))


def stems_of(text: str, languages: Iterable[str] = (ENGLISH,)) -> frozenset[str]:
    """The stems of the content words of a text, as texts of each of some languages have them."""
    words = terms(CONTRACTED.sub(" ", text))
    return frozenset(stem for language in languages for word in words for stem in word_stems(word, language))


@lru_cache(maxsize=65536)
def word_stems(word: str, language: str) -> frozenset[str]:
    """The stems or n-grams of a word of a text in a language, with and without its accents; none of a stop word."""
    forms = [word, languages.without_accents(word)]
    if languages.own_language(word, language) == ENGLISH:
        stems = frozenset(map(english_stem, forms))
        return frozenset() if "" in stems else stems
    if languages.stop_words([word], language):
        return frozenset()
    first, more = languages.stems(forms, language)
    return frozenset(first).union(*more.values())
