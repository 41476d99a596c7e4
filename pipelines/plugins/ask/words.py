"""The words of questions and passages as `ask` compares them: those that rankings count, by their stems.

The English stems are those of the reader `extractive`. Stems in other languages are those that rankings count
(`longdoc.languages`), so that a sentence has the words by which its passage was ranked.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from longdoc.languages import ENGLISH, own_language, stems, stop_words, without_accents
from longdoc.words import terms
from models.baselines._sentences import Sentence, Word, english_stem

CONTRACTED = re.compile(
    r"(?i)\b(?:can|won|shan|ain)['’]t\b|(?<=\w)(?:n?['’]t|['’](?:s|d|m|ll|re|ve))\b"
)  # function words


@dataclass(frozen=True)
class Words(Sentence):
    """A sentence with its stems in each of `languages`, those of the documents that may answer a question."""

    languages: tuple[str, ...] = (ENGLISH,)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its content words."""
        return stems_of(self.text, self.languages)

    def has(self, word: Word) -> bool:
        """Whether it has a word of another sentence, or each of the word's parts; always for a function word."""
        return not word.stem or stems_of(word.text, self.languages) <= self.stems


def analyse(text: str, languages: Iterable[str] = (ENGLISH,)) -> Words:
    """A text as one sentence."""
    return Words(" ".join(text.split()), tuple(dict.fromkeys(languages)))


def stems_of(text: str, languages: Iterable[str] = (ENGLISH,)) -> frozenset[str]:
    """The stems of a text's content words in each of some languages."""
    words = terms(CONTRACTED.sub(" ", text))
    return frozenset(stem for language in languages for word in words for stem in word_stems(word, language))


@lru_cache(maxsize=65536)
def word_stems(word: str, language: str) -> frozenset[str]:
    """The stems or n-grams of a word in a language, with and without accents; empty for a stop word."""
    forms = [word, without_accents(word)]
    if own_language(word, language) == ENGLISH:
        english = frozenset(map(english_stem, forms))
        return frozenset() if "" in english else english
    if stop_words([word], language):
        return frozenset()
    first, more = stems(forms, language)
    return frozenset(first).union(*more.values())
