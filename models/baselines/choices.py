"""Multiple choice by similarity: the option whose words lie closest to the question's in the passages.

The sliding window of Richardson et al. (2013, "MCTest"), over stems of content words: for the set S of an option's
words and the question's, a window of |S| words is worth the sum of IC(w) = ln(1 + 1 / C(w)) over its words in S, C(w)
being how often the passages have w; an option is worth its best window.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from models.baselines._sentences import analyse
from models.options import Option, options, question, wants_letter
from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader


@dataclass(frozen=True)
class Choices(GeneratingWordReader):
    """Answers with the best of the prompt's options, of equal ones the first; without options, with nothing.

    Options are those of the prompt's options part, or listed by letter in its query. `answer` letter or text: auto
    answers with the letter where the prompt's own words ask for a letter, as ZeroSCROLLS' do, else with the text, as
    in SCROLLS. n > 1 gives the n best. Words are compared without endings, English function words left out.
    """

    answer: Literal["auto", "text", "letter"] = "auto"
    max_input_tokens: int | None = None

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The options, best first, as letters or as texts."""
        choices = options(prompt)
        as_letter = wants_letter(prompt) if self.answer == "auto" else self.answer == "letter"
        passages = [_stems(part.text) for part in prompt.titled_passages]
        counts = Counter(stem for stems in passages for stem in stems)
        question_stems = frozenset(_stems(question(prompt)))
        scores = [_worth(option, question_stems, passages, counts) for option in choices]
        ranking = sorted(range(len(choices)), key=lambda i: (-round(scores[i], 6), i))
        return [choices[i].letter if as_letter else choices[i].text for i in ranking] or [""]


def _stems(text: str) -> list[str]:
    return [word.stem for word in analyse(text).words if word.stem]


def _worth(
    option: Option, question_stems: frozenset[str], passages: Sequence[Sequence[str]], counts: Mapping[str, int]
) -> float:
    stems_of_both = question_stems | set(_stems(option.text))
    weights = {stem: math.log(1 + 1 / counts[stem]) for stem in sorted(stems_of_both) if counts[stem]}
    return max((_best_window(stems, weights, len(stems_of_both)) for stems in passages), default=0.0)


def _best_window(stems: Sequence[str], weights: Mapping[str, float], width: int) -> float:
    """The highest sum of weights in a window of `width` words."""
    gains = [weights.get(stem, 0.0) for stem in stems]
    best = total = 0.0
    for position, gain in enumerate(gains):
        total += gain - (gains[position - width] if position >= width else 0.0)
        best = max(best, total)
    return best
