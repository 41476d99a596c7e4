r"""OOLONG's score of its part from real transcripts (Bertsch et al. 2025; `src/eval/eval_helpers.py`).

The answer is what stands in `\boxed{…}`, or in `\boxed{\text{…}}`; an output without it is its own answer, a text. A
reference that is a whole number scores 0.75 to the power of the difference; one with commas is a list, and scores the
share of its items that the answer's list has; any other is a text, to be equal without case. An answer of another kind
than the reference scores 0: one of a list with a single item, too, which is a text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.benchmarks.oolong.metrics.oolong_synth import power_score
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

Answer = int | str | list[str]
_BOXED = (re.compile(r"\\boxed\{\\text\{([^}]*)\}\}"), re.compile(r"\\boxed[\{]+([^}]*)[\}]+"))


@dataclass(frozen=True)
class OolongReal(Metric):
    """The mean score, 0–100; the key is "oolong_real". The best reference counts."""

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return r"oolong_real|answer:\boxed{}|numbers:0.75^difference|lists:share of the reference's|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The example's score, 0–100."""
        output = answer(prediction)
        return {"oolong_real": 100 * max(_score(output, value_of(reference)) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "oolong_real")


def answer(output: str) -> Answer:
    """The answer in an output."""
    match = next((match for pattern in _BOXED if (match := pattern.search(output))), None)
    return output if match is None else value_of(match[1])


def value_of(text: str) -> Answer:
    """The answer in a text: a whole number, a list where there are commas, else the text."""
    try:
        return int(text)
    except ValueError:
        return [item.strip() for item in text.split(",") if item.strip()] if "," in text else text


def _score(output: Answer, reference: Answer) -> float:
    if isinstance(output, int) and isinstance(reference, int):
        return power_score(str(output), str(reference))
    if isinstance(output, str) and isinstance(reference, str):
        return float(output.strip().lower() == reference.strip().lower())
    if isinstance(output, list) and isinstance(reference, list) and reference:
        return len(set(output) & set(reference)) / len(reference)
    return 0.0
