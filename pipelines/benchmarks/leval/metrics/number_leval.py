"""Exact match of numbers as L-Eval scores GSM8K (An et al. 2024).

The number of an output is in the word behind the first "The answer is". Without this phrase it is in the last word with
a digit of what stands before the first empty line. The digits before a full stop count: "$1,200.00" is 1200.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.benchmarks.leval.metrics._exam import text_score
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

PHRASE = "The answer is"

_STATED = re.compile(rf"{PHRASE} (\S+)")


@dataclass(frozen=True)
class NumberLeval(Metric):
    """The share of outputs with the right number, 0–100; the key is "number_leval".

    Raises `UserError` where the reference has no digit. Any of several references counts.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"number_leval|taken:word behind {PHRASE!r}, else last of the first paragraph|references:any"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where the number is a reference's, else 0."""
        right_numbers = [answer(reference) for reference in example.references]
        if not all(right_numbers):
            raise UserError(
                f"example {example.id}: the reference {example.references[0][:60]!r} has no digit: fix the data"
            )
        number = answer(prediction)
        return {"number_leval": max(text_score(number, right) for right in right_numbers)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "number_leval")


def answer(output: str) -> str:
    """The digits of an output's number; "" where it has none."""
    stated = _STATED.search(output)
    words = [stated[1]] if stated else output.partition("\n\n")[0].split(" ")
    word = next((word for word in reversed(words) if any(map(str.isdigit, word))), "")
    return "".join(filter(str.isdigit, word.partition(".")[0]))
