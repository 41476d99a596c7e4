"""The sentence or span of the passages that overlaps the question most: an answer without a model.

Sentences are ordered by `_sentence_ranking`; spans are chosen by the type of the question in `_answer_spans` and
`_closed_questions`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from models.baselines._answer_spans import finder, names, spans
from models.baselines._closed_questions import choices
from models.baselines._sentence_ranking import Ranked, rank
from models.baselines._sentences import analyse
from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader

LONG = 12  # words; a longer clause pays for its length

_CLAUSES = re.compile(r"(?:[;:—]|--|\.\.\.)\s+(?![^()]{0,200}\))")  # not inside parentheses


@dataclass(frozen=True)
class Extractive(GeneratingWordReader):
    """Answers with words of the passages, or with yes or no.

    `unit` sentence: the best sentence, whole. span: the best stretch of the question's type (a name where the type asks
    for nothing short, a clause where there is no name). auto: a stretch where the question asks for a short thing, else
    the clause of the best sentence that holds most of the question. Without a question, or where nothing overlaps, the
    first sentence of the prompt. n > 1 gives the n best. The word lists are English; other languages get sentences.
    """

    unit: Literal["auto", "sentence", "span"] = "auto"
    max_input_tokens: int | None = None

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """Sentences or spans, best first."""
        question = analyse(prompt.query)
        ranked, weights = rank(question, prompt.titled_passages)
        short: list[str] = []
        if weights and self.unit != "sentence":
            short = choices(question, ranked, weights)
            find = finder(question.text) or (names if self.unit == "span" else None)
            if not short and find is not None:
                short = spans(question, ranked, weights, find)
        is_whole = self.unit == "sentence" or not weights
        texts = (item.sentence.text if is_whole else _clause(item, weights) for item in ranked)
        return short or _distinct(texts, request.n) or [""]


def _clause(ranked: Ranked, weights: Mapping[str, float]) -> str:
    """The clause of a sentence that holds most of the question's weight for its length."""

    def worth(clause: str) -> float:
        words = analyse(clause)
        return sum(weights.get(stem, 0.0) for stem in sorted(words.stems)) / (1 + words.length / LONG)

    return max(_CLAUSES.split(ranked.sentence.text), key=worth)


def _distinct(texts: Iterable[str], n: int) -> list[str]:
    """The first n different texts."""
    distinct: dict[str, None] = {}
    for text in texts:
        if len(distinct) >= n:
            break
        distinct[text] = None
    return list(distinct)
