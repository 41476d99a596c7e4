"""What a paragraph's style is measured by: character n-grams, function words, punctuation, lengths.

The families of stylometry (Stamatatos 2009, sections 2.1 and 2.2; Strøm 2021 takes the same for style change).
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longdoc.words import is_plain
from longdoc.words import words as words_of
from models.author_pairs import Floats, Ints, cosines

ORDERS = (1, 2, 3, 4, 5)
MOST_FREQUENT = 50_000  # n-grams of each order
PAIRS_AT_ONCE = 20_000

_FUNCTION_WORDS = """
a about after again all also although always am an and another any anyone anything are as at be because been
before being but by can cannot could did do does doing done down each either else enough even ever every
everything few for from get go got had has have having he her here hers herself him himself his how however i if
in indeed instead into is it its itself just least less like many may maybe me might mine more most much must my
myself never no nobody none nor not nothing now of off often on once one only onto or other others ought our ours
out over own perhaps quite rather really same shall she should since so some someone something somewhat still
such than that the their theirs them themselves then there therefore these they this those though through thus to
together too toward towards under unless until up upon us very was we well were what whatever when where whether
which while who whom whose why will with within without would yes yet you your yours
"""
FUNCTION_WORDS = tuple(_FUNCTION_WORDS.split())
MARKS = ".,;:!?'\"“”‘’()[]-–—…/*_&%$#@+="
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Profiles:
    """The paragraphs of a document: vectors of length one in each family [paragraphs, d], lengths and shares."""

    families: Sequence[Any]
    lengths: Floats

    def differences(self, first: Ints, second: Ints) -> Floats:
        """How paragraphs at `first` and `second` differ: [pairs, features].

        The cosine in each family (n-grams of each order, function words, marks), then the absolute difference of each
        length or share. Single words and marks are no features: a few hundred pairs would not do to weigh them.
        """
        near = np.stack([cosines(vectors, first, second) for vectors in self.families], axis=1)
        return np.concatenate((near, np.abs(self.lengths[first] - self.lengths[second])), axis=1, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Profiler:
    """Makes profiles; the n-grams and their weights are those of the texts that it was fitted on."""

    vectorizers: Sequence[Any]

    @classmethod
    def fitted(cls, texts: Sequence[str]) -> "Profiler":
        """The most frequent n-grams of each order, weighed by inverse document frequency, case kept."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        return cls(
            [
                TfidfVectorizer(
                    analyzer="char", ngram_range=(n, n), lowercase=False, max_features=MOST_FREQUENT,
                    sublinear_tf=True, dtype=np.float32,
                ).fit(texts)
                for n in ORDERS
            ]
        )  # fmt: skip

    def __call__(self, texts: Sequence[str]) -> Profiles:
        """The profiles of texts, in order."""
        words = [_words(text) for text in texts]
        families = [vectorizer.transform(texts).tocsr() for vectorizer in self.vectorizers]
        families.append(_shares([Counter(word) for word in words], FUNCTION_WORDS))
        families.append(_shares([Counter(text) for text in texts], MARKS))
        lengths = [_lengths(text, known_names) for text, known_names in zip(texts, words, strict=True)]
        return Profiles(families, np.array(lengths).reshape(len(texts), -1))


def _words(text: str) -> list[str]:
    """The words of letters in lower case; an apostrophe is part of one only in plain text."""
    if is_plain(text):
        return [word.lower() for word in _WORD.findall(text)]
    return [word for word in words_of(text) if not word.isdigit()]


def _shares(counted_counts: Sequence[Counter[str]], names: Sequence[str]) -> Floats:
    """Roots of how often each name occurs, so that rare ones weigh too, as vectors of length one (or zero)."""
    vectors: Floats = np.sqrt([[counts[name] for name in names] for counts in counted_counts]).reshape(-1, len(names))
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(length > 0, length, 1)
    return vectors


def _lengths(text: str, words: Sequence[str]) -> list[float]:
    """Lengths of the text, its words and sentences; shares of long and contracted words, of capitals and digits."""
    n, size = max(len(words), 1), max(len(text), 1)
    return [
        math.log(size),
        sum(map(len, words)) / n,
        math.log(n / max(len(_SENTENCE_END.findall(text)), 1) + 1),
        sum(len(word) > 6 for word in words) / n,
        sum("'" in word or "’" in word for word in words) / n,
        len(set(words)) / n,
        sum(char.isupper() for char in text) / size,
        sum(char.isdigit() for char in text) / size,
        sum(char in MARKS for char in text) / size,
    ]
