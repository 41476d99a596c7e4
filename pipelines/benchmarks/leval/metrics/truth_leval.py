"""Statements about science fiction as L-Eval scores them (An et al. 2024): true in the story, and true in the world.

A reference is "True [fact: False]": what holds in the story, then what holds in fact. An output is taken apart in the
same way, at "[fact:", and its last character is left out. In each part the first word with "true" or "false" in it is
the answer, and "true" goes first in a word with both: "untrue." is true. Where one is missing, that is wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.benchmarks.leval.metrics._exam import text_score
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

FACT = "[fact:"
ANSWERS = ("true", "false")


@dataclass(frozen=True)
class TruthLeval(Metric):
    """The mean accuracy, 0–100, "truth_leval", and those of "truth_story" and "truth_fact".

    Raises `UserError` where the reference lacks one of the two.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "truth_leval|taken:first word with true or false, [fact: between|missing:wrong|average:of story and fact"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 for each of the two that is right, else 0, and their mean. The first reference counts."""
        right = _parts(example.references[0])
        if not all(map(_answer, right)):
            raise UserError(
                f"example {example.id}: the reference {example.references[0][:60]!r} must say true or false twice: "
                "'True [fact: False]'"
            )
        answers = map(_answer, _parts(prediction))
        story, fact = (text_score(answer, label) for answer, label in zip(answers, right, strict=True))
        return {"truth_leval": (story + fact) / 2, "truth_story": story, "truth_fact": fact}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means over examples."""
        return mean(rows, "truth_leval") | mean(rows, "truth_story") | mean(rows, "truth_fact")


def _parts(text: str) -> tuple[str, str]:
    """What is said of the story and of the world, in lower case."""
    story, _, fact = text.lower().partition(FACT)
    return story.strip(), fact.partition(FACT)[0][:-1].strip()


def _answer(text: str) -> str:
    """The first answer of a part; "" without one."""
    return next((answer for word in text.split() for answer in ANSWERS if answer in word), "")
