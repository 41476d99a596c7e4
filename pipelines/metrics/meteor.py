r"""METEOR (Banerjee and Lavie 2005; Lavie and Agarwal 2007) by the rules of nltk's `meteor_score`.

With m matched words in the alignment, P = m / |hypothesis|, R = m / |reference|, and ch runs of matches adjacent in
both texts: F = P · R / (α · P + (1 − α) · R), penalty = γ · (ch / m)^β, score = (1 − penalty) · F; 0 where m = 0.
The best reference counts, the score is the mean over examples. These are not the numbers of the Java
programs Meteor 1.3 and 1.5, which weigh stages and function words, know paraphrases and minimize the chunks: the two
differ by many points. With `jar` it is Meteor 1.5's own program that scores (`pipelines.metrics.shared.meteor_jar`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Literal

from longdoc.errors import UserError
from longdoc.folders import expanded
from pipelines.metrics import Metric, NotComputable, Row
from pipelines.metrics.shared import meteor_jar as program
from pipelines.metrics.shared import wordnet_files
from pipelines.metrics.shared.alignment import align, chunks
from pipelines.metrics.shared.words import TOKENS, mean, words
from pipelines.records import Example

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

    `jar`: the path of `meteor-1.5.jar`, which Java runs: its scores, summed over the corpus in its way, replace
    nltk's; the other fields then have no effect. Raises `UserError` for fields out of range or given with `jar`.
    """

    typed_only: ClassVar[frozenset[str]] = frozenset({"jar"})  # it starts a program

    wordnet: bool = True
    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    jar: str | None = None

    @property
    def bootstrap_on(self) -> Literal["means", "mean row"]:  # type: ignore[override]
        """nltk's score is a mean over examples, the program's one over summed statistics."""
        return "means" if self.jar is None else "mean row"

    def __post_init__(self) -> None:
        own_names = [field.name for field in fields(self) if getattr(self, field.name) != field.default]
        if self.jar is not None and own_names != ["jar"]:
            raise UserError(
                f"metric meteor: with jar= the program's settings hold: leave {', '.join(own_names[:-1])} out"
            )
        for name, value in (("alpha", self.alpha), ("gamma", self.gamma)):
            if not 0 <= value <= 1:
                raise UserError(f"metric meteor: {name} must lie between 0 and 1, got {value}")
        if self.beta < 0:
            raise UserError(f"metric meteor: beta must not be negative, got {self.beta}; nltk's is 3.0")

    @property
    def signature(self) -> str:
        """The rules, versions and weights that decide the score."""
        if self.jar is not None:
            sha, options = program.version(self._path), " ".join(program.OPTIONS[3:])
            return f"meteor|rules:Meteor 1.5|jar:{self._path.name}|sha256:{sha}|options:{options}"
        settings = f"alpha:{self.alpha}|beta:{self.beta}|gamma:{self.gamma}"
        versions = f"nltk:{version('nltk')}|wordnet:{self.wordnet_version}"
        return f"meteor|rules:nltk, not Meteor 1.3|{versions}|{settings}|{TOKENS}"

    def prepare(self) -> None:
        """Open WordNet if it is used, or start the jar; downloads nothing.

        Raises `NotComputable`, with the command that installs what is missing, and `UserError` for another jar.
        """
        if self.jar is not None:
            program.running(self._path)
        elif self.wordnet:
            _reader()

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best score over the references, 0–100; with `jar` the statistics against the best one."""
        if self.jar is not None:
            return program.running(self._path).row(prediction, example.references)
        hypothesis = words(prediction)
        return {"meteor": max(100 * self.of_words(hypothesis, words(reference)) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples; with `jar` the score of the summed statistics."""
        if self.jar is None:
            return mean(rows, "meteor")
        return {"meteor": 100 * program.score(program.total(rows))} if rows else {}

    @property
    def _path(self) -> Path:
        return expanded(self.jar or "")

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
        balanced = (precision * recall) / (self.alpha * precision + (1 - self.alpha) * recall)
        penalty: float = self.gamma * (chunks(pairs) / len(pairs)) ** self.beta
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
