"""Exact match of numbers as L-Eval scores GSM8K (An et al. 2024).

The number of an output is the first one behind "The answer is", else the last one of its first paragraph. Digits count,
without commas and what stands after a decimal point: "$1,200.00" is 1200.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

PHRASE = "The answer is"

_NUMBER = re.compile(r"[0-9][0-9,]*")
_WORD = re.compile(r"\S*[0-9]\S*")


@dataclass(frozen=True)
class NumberLeval(Metric):
    """The share of outputs with the right number, 0–100; the key is "number_leval".

    Raises `UserError` where the reference has no digit. Any of several references counts.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"number_leval|taken:first behind {PHRASE!r}, else last of the first paragraph|references:any"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where the number is a reference's, else 0."""
        right_numbers = [_number(reference) for reference in example.references]
        if not all(right_numbers):
            raise UserError(
                f"example {example.id}: the reference {example.references[0][:60]!r} has no digit: fix the data"
            )
        return {"number_leval": 100.0 * (answer(prediction) in right_numbers)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "number_leval")


def answer(output: str) -> str:
    """The digits of an output's number; "" where it has none."""
    _, phrase, after = output.partition(PHRASE)
    if phrase and (number := _number(after)):
        return number
    words = _WORD.findall(output.strip().partition("\n\n")[0])
    return _number(words[-1]) if words else ""


def _number(text: str) -> str:
    match = _NUMBER.search(text)
    return match[0].replace(",", "") if match else ""
