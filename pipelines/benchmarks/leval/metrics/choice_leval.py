"""Accuracy of multiple choice as L-Eval scores its exams (An et al. 2024): TOEFL, QuALITY, Coursera.

The answer of an output is the first of the letters A to D in it, wherever it stands: "Based on …" chooses B. An output
that is nothing but neighbours of "ABCD" is taken whole, and "BC" is wrong where B is right. Coursera has questions with
several right letters (`multiple`). There the answer is, of these:

1. the letters that the output begins with, if there are two or more;
2. the letters A to D before white space, a full stop or a bracket in what stands before "Question", with the one that
   the output begins with: "A and C." is A and C, and "NASA is" is A;
3. the first run of letters A to D before "Question".

An output without any chooses A. An empty one is wrong. All right letters and no other score 1, a part of them and no
other a quarter.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.benchmarks.leval.metrics._exam import PART, letter_score
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

DEFAULT_LETTER = "A"  # the choice of an output without a letter
CHOICES = "ABCD"
NEXT_QUESTION = "Question"  # an output goes on with questions of its own from here

_LETTER = re.compile(r"[A-D]")
_RUN = re.compile(r"[A-D]+")
_BEGINNING = re.compile(r"[A-D]*")
_OPTION = re.compile(r"[A-D](?=[\s.)])")


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
        option = f"A-D before white space or . or ) up to {NEXT_QUESTION}, else first run|part:{PART:g}"
        return f"{self._key}|taken:{option if self.multiple else 'first of A-D'}|none:A|empty:wrong|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 for the right choice, 25 for a part of several right letters, else 0."""
        right = [_right(reference, example.id) for reference in example.references]
        if not prediction.strip():
            return {self._key: 0.0}
        letters = self._letters(prediction) or DEFAULT_LETTER
        return {self._key: max(letter_score(letters, reference) for reference in right)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, self._key)

    @property
    def _key(self) -> str:
        return "choices_leval" if self.multiple else "choice_leval"

    def _letters(self, output: str) -> str:
        if output in CHOICES:
            return output
        return _several(output) if self.multiple else _first(_LETTER, output)


def _several(output: str) -> str:
    """The chosen letters in order; those of a first run as they stand."""
    beginning = _first(_BEGINNING, output)
    if len(beginning) > 1:
        return "".join(sorted(set(beginning)))
    text = output[len(beginning) :].partition(NEXT_QUESTION)[0]
    options = {*beginning, *_OPTION.findall(text)}
    return "".join(sorted(options)) or _first(_RUN, text)


def _first(pattern: re.Pattern[str], text: str) -> str:
    """The first match of a pattern; "" without one."""
    match = pattern.search(text)
    return match[0] if match else ""


def _right(reference: str, name: str) -> str:
    """The letters A to D in a reference's first word. Raises `UserError` for a reference without one."""
    if not _LETTER.search(reference):
        raise UserError(
            f"example {name}: the reference {reference[:60]!r} has none of the letters A to D: fix the data"
        )
    return "".join(_LETTER.findall(reference.split()[0])) or DEFAULT_LETTER
