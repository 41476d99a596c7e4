"""Statements about science fiction as L-Eval scores them (An et al. 2024): true in the story, and true in the world.

A reference is "True [fact: False]": what holds in the story, then what holds in fact. Of an output, the first "true" or
"false" before "fact" answers for the story, the first behind it for the world; where one is missing, that is wrong.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

_ANSWER = re.compile(r"\b(?:true|false)\b")


@dataclass(frozen=True)
class TruthLeval(Metric):
    """The mean accuracy, 0–100, "truth_leval", and those of "truth_story" and "truth_fact".

    Raises `UserError` where the reference lacks one of the two.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "truth_leval|taken:first true or false before and behind fact|missing:wrong|average:of story and fact"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 for each of the two that is right, else 0, and their mean. The first reference counts."""
        right, answers = _answers(example.references[0]), _answers(prediction)
        if not all(right):
            raise UserError(
                f"example {example.id}: the reference {example.references[0][:60]!r} must say true or false twice: "
                "'True [fact: False]'"
            )
        story, fact = (100.0 * (answer == label) for answer, label in zip(answers, right, strict=True))
        return {"truth_leval": (story + fact) / 2, "truth_story": story, "truth_fact": fact}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means over examples."""
        return mean(rows, "truth_leval") | mean(rows, "truth_story") | mean(rows, "truth_fact")


def _answers(text: str) -> tuple[str, str]:
    """What holds in the story and in fact: "true", "false", or "" where it is not said."""
    story, _, fact = text.lower().partition("fact")
    first, second = (_ANSWER.search(part) for part in (story, fact))
    return (first[0] if first else "", second[0] if second else "")
