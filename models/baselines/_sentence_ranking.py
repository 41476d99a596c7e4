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
DOUBT_FACTOR = 0.7  # for a sentence that asks, and for one with fewer than two words that the question does not have
NEW_WORDS = 2

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
    sentences_by_passage = [sentences(part.text) for part in passages]
    frequency = Counter(
        stem
        for sentences_of_passage in sentences_by_passage
        for sentence in sentences_of_passage
        for stem in sentence.stems
    )
    total = sum(map(len, sentences_by_passage))

    def weight(stem: str) -> float:
        return math.log(1 + (total - frequency[stem] + 0.5) / (frequency[stem] + 0.5))

    weights = {stem: weight(stem) for stem in sorted(question.stems & frequency.keys())}
    if not weights:
        unscored = [
            Ranked(sentence, 0.0) for sentences_of_passage in sentences_by_passage for sentence in sentences_of_passage
        ]
        return sorted(unscored, key=lambda item: item.sentence.text[-1].isalnum()), {}
    return _order(question, weights, sentences_by_passage, passages), weights


def _order(
    question: Sentence,
    weights: Mapping[str, float],
    sentences_by_passage: Sequence[Sequence[Sentence]],
    passages: Sequence[Part],
) -> list[Ranked]:
    lengths = [sentence.length for sentences_of_passage in sentences_by_passage for sentence in sentences_of_passage]
    average = max(sum(lengths), 1) / len(lengths)
    ranked = []
    for part, sentences_of_passage in zip(passages, sentences_by_passage, strict=True):
        shared_stems = [weights.keys() & sentence.stems for sentence in sentences_of_passage]
        passage_stems = sorted(set().union(*shared_stems))
        for i, sentence in enumerate(sentences_of_passage):
            near = set().union(*shared_stems[max(i - 1, 0) : i + 2])
            score = sum(
                weights[s] * (1 if s in shared_stems[i] else NEIGHBOUR if s in near else PASSAGE) for s in passage_stems
            )
            score /= 1 - LENGTH + LENGTH * sentence.length / average
            score /= 1 + RANK * part.rank
            if _ASKS.search(sentence.text):
                score *= DOUBT_FACTOR
            if len(sentence.stems - question.stems) < NEW_WORDS:
                score *= DOUBT_FACTOR
            ranked.append(Ranked(sentence, score))
    return sorted(ranked, key=lambda item: -item.score)
