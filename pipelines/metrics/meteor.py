r"""METEOR (Banerjee and Lavie 2005; Lavie and Agarwal 2007) by the rules of nltk's `meteor_score`.

With m matched words in the alignment, P = m / |hypothesis|, R = m / |reference|, and ch runs of matches adjacent in
both texts: F = P · R / (α · P + (1 − α) · R), penalty = γ · (ch / m)^β, score = (1 − penalty) · F; 0 where m = 0.
The best reference counts, the score is the mean over examples. These are not the numbers of the Java
programs Meteor 1.3 and 1.5, which weigh stages and function words, know paraphrases and minimize the chunks: the two
differ by many points. Words are aligned in time linear in the words and their synonyms.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

from pipelines.metrics import Metric, NotComputable, Row
from pipelines.metrics.shared import wordnet_files
from pipelines.metrics.shared.words import TOKENS, mean, words
from pipelines.records import Example

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5  # nltk's
Pairs = list[tuple[int, int]]  # positions (hypothesis, reference)
_MISSING = (
    "WordNet is missing: python -m nltk.downloader wordnet (Debian, Ubuntu: apt install wordnet-base), or "
    "meteor:wordnet=false"
)


@dataclass(frozen=True)
class Meteor(Metric):
    r"""METEOR by nltk's rules, 0–100; the key is "meteor". Tokens are lower-cased `\w+`.

    Words match by form, by Porter stem (nltk's), and with `wordnet` by WordNet synonyms; like nltk, the synonyms are
    those of the word's *stem* and are compared with the other word's stem. A prediction equal to its reference of n
    words scores 1 − γ / n^β, not 100: it is one chunk.
    """

    bootstrap_on = "means"

    wordnet: bool = True

    @property
    def signature(self) -> str:
        """The rules, versions and weights that decide the score."""
        settings = f"alpha:{ALPHA}|beta:{BETA}|gamma:{GAMMA}"
        versions = f"nltk:{version('nltk')}|wordnet:{self.wordnet_version}"
        return f"meteor|rules:nltk, not Meteor 1.3|{versions}|{settings}|{TOKENS}"

    def prepare(self) -> None:
        """Open WordNet if it is used; downloads nothing.

        Raises `NotComputable`, with the command that installs what is missing.
        """
        if self.wordnet:
            _reader()

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best score over the references, 0–100."""
        hypothesis = words(prediction)
        return {"meteor": max(100 * self.of_words(hypothesis, words(reference)) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "meteor")

    @property
    def wordnet_version(self) -> str:
        """The version of WordNet; "no" if it is not used, "missing" if it is not installed."""
        return _wordnet_version() if self.wordnet else "no"

    def of_words(self, hypothesis: Sequence[str], reference: Sequence[str]) -> float:
        """nltk's score of two lists of words in lower case, 0–1."""
        pairs = align(hypothesis, reference, _stem, _synonyms if self.wordnet else None)
        if not pairs:
            return 0.0
        precision, recall = len(pairs) / len(hypothesis), len(pairs) / len(reference)
        f_mean = (precision * recall) / (ALPHA * precision + (1 - ALPHA) * recall)
        penalty: float = GAMMA * (chunks(pairs) / len(pairs)) ** BETA
        return (1 - penalty) * f_mean


def align(
    hypothesis: Sequence[str],
    reference: Sequence[str],
    stem: Callable[[str], str],
    synonyms: Callable[[str], Iterable[str]] | None,
) -> Pairs:
    """Pairs of matched positions, in the order of the hypothesis.

    Three stages, each on the words that the earlier ones left over: equal words, equal stems, and a synonym that
    equals the reference's word (no such stage for `synonyms=None`). As in nltk, the third stage gets the stems of the
    words, not the words. In each stage the hypothesis is read from its end, and a word takes the last free position
    among its matches.
    """
    left, right = dict(enumerate(hypothesis)), dict(enumerate(reference))
    pairs = _match(left, right)
    left, right = ({position: stem(word) for position, word in text.items()} for text in (left, right))
    pairs += _match(left, right)
    if synonyms is not None:
        pairs += _match(left, right, synonyms)
    return sorted(pairs)


def chunks(pairs: Pairs) -> int:
    """The number of chunks: runs of pairs that are adjacent in both texts; `pairs` in the order of `align`."""
    return sum(number == 0 or (left - 1, right - 1) != pairs[number - 1] for number, (left, right) in enumerate(pairs))


def _match(
    left: dict[int, str], right: dict[int, str], synonyms: Callable[[str], Iterable[str]] | None = None
) -> Pairs:
    """The pairs matched in one stage, which are removed from `left` and `right` (position to word, ascending)."""
    free: dict[str, list[int]] = {}
    for position, word in right.items():
        free.setdefault(word, []).append(position)
    pairs: Pairs = []
    for position in reversed(left):
        word = left[position]
        places = free.get(word) if synonyms is None else _last(free, synonyms(word))
        if places:
            pairs.append((position, places.pop()))
    for number, other in pairs:
        del left[number], right[other]
    return pairs


def _last(free: dict[str, list[int]], synonyms: Iterable[str]) -> list[int] | None:
    """The free positions of one of the synonyms: those with the last position of all."""
    return max((free[word] for word in synonyms if free.get(word)), key=lambda places: places[-1], default=None)


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(maxsize=1 << 18)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


@cache
def _reader() -> Any:
    if not wordnet_files.is_present():
        if wordnet_files.is_debian():
            return wordnet_files.debian_reader()
        raise NotComputable(_MISSING)
    from nltk.corpus import wordnet

    try:
        wordnet.ensure_loaded()
    except (LookupError, OSError) as error:
        raise NotComputable(_MISSING) from error
    return wordnet


def _wordnet_version() -> str:
    """The version of WordNet: of the open one, else read from the files without loading them; "missing" if absent."""
    if not _reader.cache_info().currsize and (files_version := wordnet_files.version()) is not None:
        return files_version
    try:
        return str(_reader().get_version())
    except NotComputable:
        return "missing"


@lru_cache(maxsize=1 << 17)
def _synonyms(word: str) -> frozenset[str]:
    """The one-word names in the synsets of `word`, all parts of speech, inflections undone by WordNet's own rules."""
    names = (lemma.name() for synset in _reader().synsets(word) for lemma in synset.lemmas())
    return frozenset(name for name in names if "_" not in name)
