"""Accuracy of multiple choice as ∞Bench scored En.MC for its paper (Zhang et al. 2024; `compute_scores.py` until July
2024).

The references are the right option's text and its letter. The first of these rules that applies decides, on the output
without white space around it:
1. it is empty: wrong;
2. it starts with A, B, C or D: right if that is the letter, so that "Dunno" chooses D;
3. it equals a reference: right;
4. with line breaks and `"'.,?!{}` as spaces, runs of them as one, it contains "answer is:", "answer:", "answer is" or
   "option is", the first of these counts, at its first place: right if what comes one character behind it starts with a
   reference, wrong otherwise;
5. its first word that is part of "ABCD", as "B" and also "BC" are, is a reference: right;
6. otherwise it is wrong.

The code of August 2024 and later first takes the last free-standing letter A to D of the first line that has one, where
that is the right one; lm-evaluation-harness lets it alone decide. Both give other scores than the published ones.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

LETTERS = "ABCD"
PREFIXES = ("answer is:", "answer:", "answer is", "option is")

_SEPARATORS = str.maketrans(dict.fromkeys("\n\"'.,?!{}", " "))


@dataclass(frozen=True)
class ChoiceInfinitebench(Metric):
    """The share of outputs that choose the right option by ∞Bench's rules, 0–100; the key is "choice_infinitebench".

    One of the references is the right letter. Raises `UserError` where none is.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "choice_infinitebench|rules:infinitebench-2024-02|references:text and letter"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where the output chooses the right option, else 0."""
        if not any(reference in tuple(LETTERS) for reference in example.references):
            raise UserError(
                f"example {example.id}: one of the references must be a letter A, B, C or D, as ∞Bench's En.MC has "
                f"the right option's text and its letter; got {example.references[0]!r}"
            )
        return {"choice_infinitebench": 100.0 * chooses(prediction.strip(), example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "choice_infinitebench")


def chooses(output: str, right: Sequence[str]) -> bool:
    """Whether an output without white space around it chooses one of the right answers."""
    if not output:
        return False
    if output[0] in LETTERS:
        return output[0] in right
    if output in right:
        return True
    text = re.sub(" +", " ", output.translate(_SEPARATORS))
    for prefix in PREFIXES:
        if (position := text.find(prefix)) >= 0:
            return text[position + len(prefix) + 1 :].startswith(tuple(right))
    return next((word in right for word in text.split() if word in LETTERS), False)
