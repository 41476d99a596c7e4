"""Questions that name their answers: "A or B", and yes or no."""

import re
from collections.abc import Mapping, Sequence

from models.baselines._answer_spans import peoples, years
from models.baselines._sentence_ranking import Ranked
from models.baselines._sentences import Sentence, analyse

SHORT = 7  # words; a longer side of an "or" is cut to the name next to it
HOLDS = 0.5  # the share of a claim's weight that one sentence must hold for "yes"

_OR = re.compile(r"(.*?),? or (.*?)[\s?]*", re.DOTALL)
_OPEN = re.compile(r"\W*(?:what|when|where|why|how)\b", re.IGNORECASE)
_LEAD = re.compile(r"[,:;?–—-]\s|\b(?:either|between)\b")
_YES_NO = re.compile(r"\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b", re.IGNORECASE)
_LONGER = re.compile(r"\b(?:longer|older age)\b", re.IGNORECASE)
_EARLIER = re.compile(r"\b(?:first|earl(?:y|ier|iest)|old(?:er|est)|elde(?:r|st)|before)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:lat(?:er|est)|last|young(?:er|est)|new(?:er|est)|more recent(?:ly)?)\b", re.IGNORECASE)


def choices(question: Sentence, ranked: Sequence[Ranked], weights: Mapping[str, float]) -> list[str]:
    """The answers that a question offers itself, the better first; [] if it offers none."""
    if pair := alternatives(question.text):
        first, second = pair
        texts = [first.text, second.text]
        return texts if _prefers_first(question, pair, ranked, weights) else texts[::-1]
    if _YES_NO.match(question.text):
        return ["yes", "no"] if _is_confirmed(question, ranked, weights) else ["no", "yes"]
    return []


def alternatives(question: str) -> tuple[Sentence, Sentence] | None:
    """The two names on either side of "or"; None if "or" only continues an open question."""
    match = _OR.fullmatch(question)
    if match is None:
        return None
    lead = _LEAD.split(match[1])
    if len(lead) == 1 and _OPEN.match(question):
        return None
    left, right = analyse(lead[-1]), analyse(match[2])
    if not left.names or not right.names:
        return None
    if len(left.words) > SHORT:
        left = analyse(left.part(left.names[-1]))
    if len(right.words) > SHORT:
        right = analyse(right.part(right.names[0]))
    return left, right


def _prefers_first(
    question: Sentence, pair: tuple[Sentence, Sentence], ranked: Sequence[Ranked], weights: Mapping[str, float]
) -> bool:
    """Whether the first of two answers is better: by their years, else by how much of the question each matches."""
    left_years, right_years = (_years(ranked, sentence) for sentence in pair)
    if left_years and right_years:
        if _LONGER.search(question.text) and len(left_years) > 1 and len(right_years) > 1:
            return left_years[1] - left_years[0] >= right_years[1] - right_years[0]
        if _EARLIER.search(question.text):
            return left_years[0] <= right_years[0]
        if _LATER.search(question.text):
            return left_years[0] >= right_years[0]
    rest = _weights_outside(weights, pair)
    first, second = (_best_share(_about(ranked, sentence), rest) for sentence in pair)
    return first >= second


def _is_confirmed(question: Sentence, ranked: Sequence[Ranked], weights: Mapping[str, float]) -> bool:
    """Whether for each name in the question a sentence about it holds half of the question's other words.

    "American" before a noun is not a name here, nor is the last name if the question has only names.
    """
    adjectives = {*peoples(question)}
    sentences = [analyse(question.part(name)) for name in question.names if name not in adjectives]
    rest = _weights_outside(weights, sentences)
    if not rest and len(sentences) > 1:
        rest = _weights_outside(weights, sentences := sentences[:-1])
    groups = [_about(ranked, sentence) for sentence in sentences] or [list(ranked)]
    return bool(rest) and min(_best_share(group, rest) for group in groups) >= HOLDS * sum(rest.values())


def _weights_outside(weights: Mapping[str, float], sentences: Sequence[Sentence]) -> dict[str, float]:
    """The weights of words that are in none of these names."""
    return {
        stem: weight for stem, weight in weights.items() if not any(stem in sentence.stems for sentence in sentences)
    }


def _about(ranked: Sequence[Ranked], sentence: Sentence) -> list[Ranked]:
    """The sentences with more than half of a name's words, those with most of them first."""
    shared = [(len(sentence.stems & item.sentence.stems), item) for item in ranked]
    matching = [pair for pair in shared if 2 * pair[0] > len(sentence.stems)]
    return [item for _, item in sorted(matching, key=lambda pair: -pair[0])]


def _best_share(group: Sequence[Ranked], weights: Mapping[str, float]) -> float:
    """The highest sum of weights that one sentence holds."""
    return max(
        (sum(w for stem, w in weights.items() if stem in item.sentence.stems) for item in group),
        default=0.0,
    )


def _years(ranked: Sequence[Ranked], sentence: Sentence) -> list[int]:
    """The years in the first sentence about a name that has any."""
    dated = ([int(item.sentence.part(year)[:4]) for year in years(item.sentence)] for item in _about(ranked, sentence))
    return next((numbers for numbers in dated if numbers), [])
