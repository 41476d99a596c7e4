"""Accuracy of multiple choice as L-Eval scores its exams (An et al. 2024): TOEFL, QuALITY, Coursera.

The answer of an output is the first of the letters A to D in it, wherever it stands: "Based on …" chooses B. An output
with none of them chooses A. Coursera has questions with several right letters (`multiple`): there the answer is the
first run of these letters on each line, so that "AC" and "A. mean⏎C. mode" are both A and C, and "A, C" is A alone. All
right letters and no other score 1, a part of them and no other a quarter.

How the letters of several lines are found is not described anywhere; this rule gives the benchmark's figures for the
published predictions of GPT-4-32k, Claude-100k and Turbo-16k on half of Coursera's documents, which no rule does that
takes every letter A to D, or every one that stands alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

DEFAULT_LETTER = "A"  # the choice of an output without a letter
PART = 25.0  # the score of some of the right letters

_LETTERS = re.compile(r"[A-D]+")


@dataclass(frozen=True)
class ChoiceLeval(Metric):
    """The share of right choices, 0–100; the key is "choice_leval", with `multiple` "choices_leval".

    The reference begins with the right letter, or with `multiple` holds the right letters. Raises `UserError` where it
    has none.
    """

    bootstrap_on = "means"

    multiple: bool = False

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        rule = "first run of A-D of each line|part:25" if self.multiple else "first of A-D"
        return f"{self._key}|taken:{rule}|none:A|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 for the right choice, 25 for a part of several right letters, else 0."""
        letters = self._letters(prediction) or {DEFAULT_LETTER}
        return {self._key: max(self._score(letters, self._right(text, example.id)) for text in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, self._key)

    @property
    def _key(self) -> str:
        return "choices_leval" if self.multiple else "choice_leval"

    def _letters(self, text: str) -> set[str]:
        if self.multiple:
            return {letter for line in text.split("\n") if (match := _LETTERS.search(line)) for letter in match[0]}
        return set(match[0][0]) if (match := _LETTERS.search(text)) else set()

    def _right(self, reference: str, name: str) -> set[str]:
        letters = self._letters(reference)
        if not letters:
            raise UserError(
                f"example {name}: the reference {reference[:60]!r} has none of the letters A to D: fix the data"
            )
        return letters

    def _score(self, letters: set[str], right: set[str]) -> float:
        if letters == right:
            return 100.0
        return PART if letters < right else 0.0
