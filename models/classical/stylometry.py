"""Whether two paragraphs have one author, by their style: a logistic model of how they differ.

They differ in character n-grams, function words, punctuation and lengths, the families of stylometry (Stamatatos 2009,
sections 2.1 and 2.2; Strøm 2021 takes the same for style change), learned from as in `models.author_pairs`.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from longdoc.words import is_plain
from longdoc.words import words as words_of
from models import saved
from models.author_pairs import Floats, Ints, Logistic, cosines, fitted, sampled_pairs
from models.classical._vectorizers import packed, unpacked
from models.requests import Compare, Reply, Request, TrainingExample
from models.word_reader import WordReader

REGULARIZATION = 10.0
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


@dataclass(frozen=True)
class Stylometry(WordReader):
    """Answers Compare once it is fitted, on about `pairs` pairs of paragraphs sampled by `seed`.

    0.5 is the threshold that does best on neighbours in held-out training documents (`models.author_pairs`).
    `model` is a folder that `save` wrote. Raises `UserError` for fewer than 10 pairs, for a folder that holds no such
    reader, for training examples that teach nothing, and when asked before it is fitted.
    """

    pairs: int = 20_000
    seed: int = 0
    model: str | None = None

    supports = frozenset({Compare})
    batch_requests = 1  # a document
    can_save = True

    _learned: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _latest: "dict[tuple[str, ...], _Profiles]" = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.pairs < 10:
            raise UserError(f"stylometry: pairs must be at least 10, got {self.pairs}")
        if self.model is not None:
            weights, bias, vectorizers = saved.load(self.model, "weights", "bias", "vectorizers")
            self._learned.update(profiler=_Profiler(list(map(unpacked, vectorizers))), model=Logistic(weights, bias))

    @property
    def fitted(self) -> bool:  # type: ignore[override]
        """Whether it has been fitted."""
        return bool(self._learned)

    def fit(self, examples: Iterable[TrainingExample]) -> None:
        """Learn from Compare training examples whose references say who wrote the paragraphs, or where the author
        changes.
        """
        pairs = sampled_pairs(examples, self.pairs, self.seed)
        profiler = _Profiler.fitted(pairs.texts)
        features = profiler(pairs.texts).differences(pairs.first, pairs.second)
        self._learned.update(profiler=profiler, model=fitted(features, pairs, REGULARIZATION))
        self._latest.clear()

    def save(self, folder: Path) -> None:
        """Write the fitted model to a folder that `models.get` reads."""
        model, profiler = self._learned["model"], self._learned["profiler"]
        fields = {
            "weights": model.weights,
            "bias": model.bias,
            "vectorizers": list(map(packed, profiler.vectorizers)),
        }
        saved.save(folder, fields)
        saved.describe(folder, {"name": "stylometry", "pairs": self.pairs, "seed": self.seed})

    def resolve(self) -> dict[str, Any]:
        """What a run records of a trained folder."""
        return saved.identity(self.model)

    def reply_to(self, request: Request) -> Reply:
        """The probabilities of a request's pairs; the profiles of a document are cached until the next document."""
        if not isinstance(request, Compare):
            raise self.unsupported(request)
        if not self.fitted:
            raise UserError(
                "stylometry must be trained first: give data= a training split, or call fit(training_examples)"
            )
        if request.texts not in self._latest:
            self._latest.clear()
            self._latest[request.texts] = self._learned["profiler"](request.texts)
        profiles = self._latest[request.texts]
        pairs = np.array(request.pairs, np.int64).reshape(-1, 2)
        probabilities: list[float] = []
        for position in range(0, len(pairs), PAIRS_AT_ONCE):
            first, second = pairs[position : position + PAIRS_AT_ONCE].T
            probabilities += self._learned["model"](profiles.differences(first, second))
        return Reply(tuple(probabilities), tokens_in=sum(count_words(request.texts)))


@dataclass(frozen=True, slots=True)
class _Profiles:
    """Style features of paragraphs: unit vectors of each feature family [paragraphs, d], and lengths and shares."""

    families: Sequence[Any]
    lengths: Floats

    def differences(self, first: Ints, second: Ints) -> Floats:
        """Features of the difference of paragraphs at `first` and `second`: [pairs, features].

        The cosine in each family (n-grams of each order, function words, marks), then the absolute difference of each
        length or share. Single words and marks are no features: a few hundred pairs would not do to weigh them.
        """
        near = np.stack([cosines(vectors, first, second) for vectors in self.families], axis=1)
        return np.concatenate((near, np.abs(self.lengths[first] - self.lengths[second])), axis=1, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Profiler:
    """Computes profiles with the n-grams and weights of the texts that it was fitted on."""

    vectorizers: Sequence[Any]

    @classmethod
    def fitted(cls, texts: Sequence[str]) -> "_Profiler":
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

    def __call__(self, texts: Sequence[str]) -> _Profiles:
        """The profiles of texts, in order."""
        words = [_words(text) for text in texts]
        families = [vectorizer.transform(texts).tocsr() for vectorizer in self.vectorizers]
        families.append(_shares([Counter(word) for word in words], FUNCTION_WORDS))
        families.append(_shares([Counter(text) for text in texts], MARKS))
        lengths = [_lengths(text, text_words) for text, text_words in zip(texts, words, strict=True)]
        return _Profiles(families, np.array(lengths).reshape(len(texts), -1))


def _words(text: str) -> list[str]:
    """The words of letters in lower case; an apostrophe is part of one only in plain text."""
    if is_plain(text):
        return [word.lower() for word in _WORD.findall(text)]
    return [word for word in words_of(text) if not word.isdigit()]


def _shares(counters: Sequence[Counter[str]], names: Sequence[str]) -> Floats:
    """Square roots of each name's count, as vectors of length one (or zero)."""
    vectors: Floats = np.sqrt([[counts[name] for name in names] for counts in counters]).reshape(-1, len(names))
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
