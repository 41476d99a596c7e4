"""Sentences of passages, ordered by how much of a question's content they and their surroundings hold.

A word of the question weighs its inverse sentence frequency, ln(1 + (N - n + 1/2) / (n + 1/2)), the form of BM25's
that is never negative. It counts whole in a sentence that has it, 0.4 in a neighbour, 0.2 elsewhere in the passage.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.baselines._sentences import Sentence, sentences
from models.prompts import Part

NEIGHBOUR, PASSAGE = 0.4, 0.2
LENGTH = 0.2  # the share of a score that goes with length: a sentence of twice the average divides by 1.2
RANK = 0.01  # a passage ten ranks down divides by 1.1
DOUBT_LIMIT = 0.7  # for a sentence that asks, and for one with fewer than two words that the question does not have
NEW = 2

_ASKS = re.compile(r"[?？؟\u1367][\W_]*\Z")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence and its score."""

    sentence: Sentence
    score: float


def rank(question: Sentence, passages: Sequence[Part]) -> tuple[list[Ranked], dict[str, float]]:
    """The sentences of the passages, best first, and the weights of those stems of the question that they have.

    Where nothing overlaps, the order is the prompt's, titles and broken sentences last.
    """
    split = [sentences(part.text) for part in passages]
    frequency = Counter(stem for inside in split for sentence in inside for stem in sentence.stems)
    total = sum(map(len, split))

    def weight(stem: str) -> float:
        return math.log(1 + (total - frequency[stem] + 0.5) / (frequency[stem] + 0.5))

    weights = {stem: weight(stem) for stem in sorted(question.stems & frequency.keys())}
    if not weights:
        rankeds = [Ranked(sentence, 0.0) for inside in split for sentence in inside]
        return sorted(rankeds, key=lambda value: value.sentence.text[-1].isalnum()), {}
    return _order(question, weights, split, passages), weights


def _order(
    question: Sentence, weights: Mapping[str, float], split: Sequence[Sequence[Sentence]], passages: Sequence[Part]
) -> list[Ranked]:
    lengths = [sentence.length for inside in split for sentence in inside]
    average = max(sum(lengths), 1) / len(lengths)
    ranked = []
    for part, inside in zip(passages, split, strict=True):
        entries = [weights.keys() & sentence.stems for sentence in inside]
        anywhere_names = sorted(set().union(*entries))
        for i, sentence in enumerate(inside):
            near = set().union(*entries[max(i - 1, 0) : i + 2])
            score = sum(
                weights[s] * (1 if s in entries[i] else NEIGHBOUR if s in near else PASSAGE) for s in anywhere_names
            )
            score /= 1 - LENGTH + LENGTH * sentence.length / average
            score /= 1 + RANK * part.rank
            if _ASKS.search(sentence.text):
                score *= DOUBT_LIMIT
            if len(sentence.stems - question.stems) < NEW:
                score *= DOUBT_LIMIT
            ranked.append(Ranked(sentence, score))
    return sorted(ranked, key=lambda value: -value.score)
