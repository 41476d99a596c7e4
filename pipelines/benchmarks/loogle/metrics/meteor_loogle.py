"""METEOR as LooGLE computes it (Li et al. 2024): nltk's score of the *sets* of words of the two texts.

Words are what stands between white space, each different one once. LooGLE hands over Python's sets, whose order, and
with it the number of chunks that METEOR counts, changes from one start of Python to the next: its own code does not
repeat a score. Here each text's words stand in the order of a hash table of the size that CPython gives such a set,
with SHA-256 in place of its seeded hash, and the score is the mean over ten such orders, which is what its code gives
on average.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from math import fsum

from pipelines.benchmarks.loogle.metrics.bleu_loogle import words
from pipelines.metrics import Metric, NotComputable, Row
from pipelines.metrics.meteor import Meteor
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

ORDERS = 10


@dataclass(frozen=True)
class MeteorLoogle(Metric):
    """LooGLE's METEOR, 0–100, the mean over ten orders of words; the key is "meteor_loogle".

    `wordnet`: whether synonyms match, as there. The best reference counts.
    """

    bootstrap_on = "means"

    wordnet: bool = True

    @property
    def signature(self) -> str:
        """The rules and versions that decide the score."""
        wordnet = Meteor(wordnet=self.wordnet).wordnet_version
        versions, tokens = f"nltk:{version('nltk')}|wordnet:{wordnet}", "tokens:white space, different ones"
        return f"meteor_loogle|rules:nltk|{versions}|{tokens}|orders:{ORDERS}, by hash|empty:None|references:max"

    def prepare(self) -> None:
        """Open WordNet if it is used. Raises `NotComputable`, with the command that installs it."""
        try:
            Meteor(wordnet=self.wordnet).prepare()
        except NotComputable as error:
            raise NotComputable(str(error).replace("meteor:", "meteor_loogle:")) from error

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best score over the references, 0–100."""
        return {"meteor_loogle": max(100 * self._score(prediction, text) for text in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "meteor_loogle")

    def _score(self, prediction: str, reference: str) -> float:
        rules, texts = Meteor(wordnet=self.wordnet), (set(words(prediction)), set(words(reference)))
        return fsum(rules.of_words(*(_ordered(text, order) for text in texts)) for order in range(ORDERS)) / ORDERS


def _ordered(distinct: set[str], order: int) -> list[str]:
    """Words in lower case, in the order of their places in a hash table."""
    mask = _table_size(len(distinct)) - 1
    return [word.lower() for word in sorted(distinct, key=lambda word: (_hash(word, order) & mask, word))]


def _table_size(words: int) -> int:
    """How many places CPython's set has after so many additions: once three fifths are full, four times the words."""
    size = 8
    for used in range(1, words + 1):
        if 5 * used >= 3 * (size - 1):
            size = max(8, 1 << (4 * used).bit_length())
    return size


@lru_cache(maxsize=1 << 18)
def _hash(word: str, order: int) -> int:
    """A hash of a word; each `order` has its own."""
    return int.from_bytes(sha256(f"{order} {word}".encode("utf-8", "surrogatepass")).digest()[:8])
