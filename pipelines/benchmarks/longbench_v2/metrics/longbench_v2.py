"""LongBench v2's accuracies (Bai et al. 2025): of all questions, of easy and hard ones, of short, medium and long
documents.

An output's answer is the letter in "The correct answer is (B)", or without brackets where there is no such sentence
with them; asterisks are left out first, and case counts. An output without it is unanswered.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

GROUPS = {"difficulty": ("easy", "hard"), "length": ("short", "medium", "long")}
BY_CHANCE = 0.25
_ANSWERS = tuple(re.compile(f"The correct answer is {letter}") for letter in (r"\(([A-D])\)", "([A-D])"))


@dataclass(frozen=True)
class LongbenchV2(Metric):
    """The share of questions whose answer is the reference's letter, 0–100.

    The keys are "accuracy" and, of the questions whose data say so (`meta`), "accuracy_easy", "accuracy_hard",
    "accuracy_short", "accuracy_medium" and "accuracy_long". "unanswered" is the share of outputs without an answer,
    0–100. They are wrong; `compensated` counts each as a quarter of a right answer, and the accuracies' keys end in
    "_compensated". An empty output is unanswered, too; the published code asks again for it, and leaves it out.
    """

    needs_example = True
    bootstrap_on = "mean row"

    compensated: bool = False

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        rules = f"answer:The correct answer is (X), else X|unanswered:{BY_CHANCE if self.compensated else 0}"
        return f"longbench_v2{self._ending}|{rules}"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The accuracy of one output, 0–100, over all and in its groups.

        Raises `UserError` for a reference that is not a letter, and for an unknown difficulty or length.
        """
        if others := [reference for reference in example.references if reference not in tuple("ABCD")]:
            raise UserError(
                f"example {example.id}: the reference {others[0]!r} must be a letter A, B, C or D: fix the "
                "data, or use metric exact_match for references that are the choices' text"
            )
        letter = answer(prediction)
        right = float(letter in example.references) if letter or not self.compensated else BY_CHANCE
        row = {f"accuracy{self._ending}": 100 * right, "unanswered": 100.0 * (letter is None)}
        for field, names in GROUPS.items():
            if example.meta.get(field) not in (*names, None):
                raise UserError(
                    f"example {example.id}: its {field} must be {' or '.join(names)}, got {example.meta[field]!r}: "
                    "fix the data"
                )
            for name in names:
                within = float(example.meta.get(field) == name)
                row |= {f"is_{name}": within, f"right_{name}": within * right}
        return row

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The accuracies; a group without a question has none."""
        if not rows:
            return {}
        scores = mean(rows, f"accuracy{self._ending}")
        sums = {name: fsum(row[name] for row in rows) for name in rows[0]}
        for names in GROUPS.values():
            for name in names:
                if sums[f"is_{name}"]:
                    scores[f"accuracy_{name}{self._ending}"] = 100 * sums[f"right_{name}"] / sums[f"is_{name}"]
        return scores | mean(rows, "unanswered")

    @property
    def _ending(self) -> str:
        return "_compensated" if self.compensated else ""


def answer(output: str) -> str | None:
    """The letter that an output gives as the correct answer; None where it gives none."""
    plain_text = output.replace("*", "")
    matches = (pattern.search(plain_text) for pattern in _ANSWERS)
    return next((match[1] for match in matches if match), None)
