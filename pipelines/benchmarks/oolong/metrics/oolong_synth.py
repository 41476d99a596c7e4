"""OOLONG's score of its synthetic part (Bertsch et al. 2025; `src/eval/eval_helpers.py`).

An output's answer is what follows its last colon, without `*`, `[` and `]`; where that is 20 characters or longer and
says "more common", "less common" or "same frequency", that phrase. Without a colon it is all of an output of fewer than
20 characters, else its last word. It scores 1 if it is the reference, or a phrase that the reference contains; 0.75 to
the power of the difference if both are whole numbers and the answer is to be one; 1 if both are one date. An empty
output, for which the published code has no rule, scores 0, and so does a date without its year, to which that code adds
the year in which it runs.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from longdoc.optional import NotInstalled, need
from pipelines.metrics import Metric, NotComputable, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

SHORT = 20  # characters
BASE = 0.75
PHRASES = ("more common", "less common", "same frequency")


@dataclass(frozen=True)
class OolongSynth(Metric):
    """The mean score, 0–100; the key is "oolong_synth".

    `meta["answer_type"]` says whether the answer is a number ("NUMERIC") or a date ("DATE", the reference as
    2024-03-05). The best reference counts.
    """

    needs_example = True
    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return (
            f"oolong_synth|answer:after the last colon|numbers:{BASE}^difference|dates:dateutil|empty:0|references:max"
        )

    def prepare(self) -> None:
        """Import what reads dates. Raises `NotComputable` without `python-dateutil`."""
        try:
            _dateutil()
        except NotInstalled as error:
            raise NotComputable(str(error)) from None

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The example's score, 0–100."""
        kind = str(example.meta.get("answer_type", ""))
        output = answer(prediction)
        return {"oolong_synth": 100 * max(_score(output, reference, kind) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "oolong_synth")


def answer(output: str) -> str:
    """The answer in an output."""
    if ":" not in output:
        words = output.split()
        return output if len(output) < SHORT or not words else words[-1]
    text = output.rpartition(":")[2].strip().translate(str.maketrans("", "", "*[]"))
    if len(text) < SHORT:
        return text
    return next((phrase for phrase in PHRASES if phrase in text), text)


def _score(output: str, reference: str, kind: str) -> float:
    if output == reference:
        return 1.0
    if output in PHRASES:
        return float(output in reference)
    if kind.endswith("NUMERIC"):
        return power_score(output, reference)
    return float(kind.endswith("DATE") and _parsed(output) == date.fromisoformat(reference))


def power_score(output: str, reference: str) -> float:
    """0.75 to the power of the difference of two whole numbers; 0 where one is not a number."""
    with suppress(ValueError, OverflowError):  # not a number, or one out of bounds
        return float(BASE ** abs(int(reference) - int(output)))
    return 0.0


def _parsed(text: str) -> date | None:
    """The day that a text names, None for other texts, and for one with a time."""
    try:
        moment = _dateutil().parse(text, default=datetime(1, 1, 1))
    except (ValueError, OverflowError, TypeError):  # what its parser raises for other texts
        return None
    is_day = not (moment.hour or moment.minute or moment.second or moment.microsecond or moment.tzinfo)
    return moment.date() if is_day else None


def _dateutil() -> Any:
    return need("dateutil.parser", "tables", "reading dates")
