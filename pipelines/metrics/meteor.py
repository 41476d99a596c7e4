r"""METEOR (Banerjee and Lavie 2005; Lavie and Agarwal 2007) by the rules of nltk's `meteor_score`.

With m matched words in the alignment, P = m / |hypothesis|, R = m / |reference|, and ch runs of matches adjacent in
both texts: F = P · R / (α · P + (1 − α) · R), penalty = γ · (ch / m)^β, score = (1 − penalty) · F; 0 where m = 0.
The best reference counts, the score is the mean over examples. These are not the numbers of the Java
programs Meteor 1.3 and 1.5, which weigh stages and function words, know paraphrases and minimize the chunks: the two
differ by many points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

from pipelines.metrics import Metric, NotComputable, Row
from pipelines.metrics.shared import wordnet_files
from pipelines.metrics.shared.alignment import align, chunks
from pipelines.metrics.shared.words import TOKENS, mean, words
from pipelines.records import Example

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5  # nltk's
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
        """The version of WordNet, "no" where it is not used, "missing" where it is not there."""
        return _wordnet_version() if self.wordnet else "no"

    def of_words(self, hypothesis: Sequence[str], reference: Sequence[str]) -> float:
        """nltk's score of two lists of words in lower case, 0–1."""
        pairs = align(hypothesis, reference, _stem, _synonyms if self.wordnet else None)
        if not pairs:
            return 0.0
        precision, recall = len(pairs) / len(hypothesis), len(pairs) / len(reference)
        balanced = (precision * recall) / (ALPHA * precision + (1 - ALPHA) * recall)
        penalty: float = GAMMA * (chunks(pairs) / len(pairs)) ** BETA
        return (1 - penalty) * balanced


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
    """The version of the WordNet that is open, else of the files: a plan, which asks for it, computes nothing."""
    if not _reader.cache_info().currsize and (version_text := wordnet_files.version()) is not None:
        return version_text
    try:
        return str(_reader().get_version())
    except NotComputable:
        return "missing"


@lru_cache(maxsize=1 << 17)
def _synonyms(word: str) -> frozenset[str]:
    """The one-word names in the synsets of `word`, all parts of speech, inflections undone by WordNet's own rules."""
    names = (lemma.name() for synset in _reader().synsets(word) for lemma in synset.lemmas())
    return frozenset(name for name in names if "_" not in name)
