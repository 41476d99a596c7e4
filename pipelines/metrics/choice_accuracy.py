r"""Accuracy of multiple choice by letter: QuALITY in ZeroSCROLLS (Shaham et al. 2023, section 3.3).

An output's choice is its first capital A, B, C or D between word boundaries (`\b[A-D]\b`): "(B) because"
chooses B, "optionB" and "b" choose nothing, "A man did" chooses A. SCROLLS asks for the option's text instead: there
the metric is `exact_match`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

_LETTER = re.compile(r"\b[A-D]\b")


@dataclass(frozen=True)
class ChoiceAccuracy(Metric):
    """The share of outputs that choose the right letter, 0–100; the key is "accuracy".

    The right letter is the one in the example's meta ("gold"; the references of the original release are the options'
    text), else that of a reference. "no_letter" is the share of outputs that choose nothing, 0–100; they are wrong.
    """

    needs_example = True
    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "choice_accuracy|choice:first free-standing A-D|case:upper|none:wrong|references:any"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where the letter is that of a reference, else 0. Raises `UserError` for references without a letter."""
        references = (example.meta["gold"],) if "gold" in example.meta else example.references
        right_letters = {right_letter for reference in references if (right_letter := choice(reference)) is not None}
        if not right_letters:
            raise UserError(
                f"example {example.id}: the reference {example.references[0]!r} has none of the letters A, B, C, D; "
                "fix the data, or use metric exact_match for references that are the options' text"
            )
        letter = choice(prediction)
        return {"accuracy": 100.0 * (letter in right_letters), "no_letter": 100.0 * (letter is None)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means over examples."""
        return mean(rows, "accuracy") | mean(rows, "no_letter")


def choice(text: str) -> str | None:
    """The first capital A to D that is a word of its own; None where there is none."""
    match = _LETTER.search(text)
    return match[0] if match else None
