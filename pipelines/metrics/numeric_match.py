"""Numeric match: does the output contain the reference number?

Questions to reports are answered by one number (FinanceBench's metrics-generated ones: Islam et al. 2023, section 3),
which a model writes in another form: "$1577.00", "1,577 million USD". Only examples one of whose references is a number
count: digits with what may stand around them (a currency, a percent sign, a power of ten, brackets for a debt). Signs
are not compared, since "a fall of 2 %" is -2 %; nor is the power of ten where one of the two has none, since a question
often fixes it ("in millions"); nor percent against a share (0.25 is 25 %).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

POWERS = {"thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9, "b": 1e9,
          "trillion": 1e12, "tn": 1e12}  # fmt: skip
CURRENCIES = r"(?:US\$|USD|EUR|GBP|[$€£¥])"
ROUNDING = 1e-12  # of floating-point numbers, so that a difference of just the tolerance is in it
DIGITS = 40  # of a number; a longer run of digits is none

_NUMBER = re.compile(
    r"(?<![\w.,])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\d.,]*\d)"
    r"(?:\s?(?P<percent>%|percent\b)|\s?(?P<power>thousand|million|billion|trillion|mn|bn|tn|[kmb])\b)?",
    re.IGNORECASE,
)
_POINTED = re.compile(r"(?<!\w)[-−]\d|\d\.\d")
_AROUND = re.compile(rf"[\s(~+\-–−]*{CURRENCIES}?[\s(~+\-–−]*0\s*{CURRENCIES}?[\s).]*", re.IGNORECASE)


@dataclass(frozen=True)
class NumericMatch(Metric):
    """Share of examples with a number for an answer whose prediction has that number, 0–100: "numeric_match".

    `tolerance` is how far the two may be apart, as a share of the reference.
    """

    tolerance: float = 0.01

    bootstrap_on = "means"
    lacking = "no reference is a number"

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < 1:
            raise UserError(f"tolerance must be from 0 to below 1, a share of the reference, got {self.tolerance}")

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"numeric_match|tolerance:{self.tolerance:g}|of:any number in the output|sign:ignored|references:any"

    def takes(self, references: Sequence[str]) -> bool:
        """Whether a reference is a number."""
        return any(_is_number(reference) for reference in references)

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where a number in the prediction is a reference's, else 0."""
        reference_readings = [reading for text in example.references if _is_number(text) for reading in readings(text)]
        prediction_readings = readings(prediction)
        return {
            "numeric_match": 100.0
            * any(self._matches(*pair) for pair in product(prediction_readings, reference_readings))
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "numeric_match")

    def _matches(self, values: Sequence[float], reference_values: Sequence[float]) -> bool:
        bound = self.tolerance + ROUNDING
        return any(
            abs(value - reference) <= bound * reference for value, reference in product(values, reference_values)
        )


def readings(text: str) -> list[tuple[float, ...]]:
    """For each number in a text, its possible values: the digits alone, and with percent sign or power of ten."""
    return [_readings_of(match) for match in _NUMBER.finditer(text) if len(match["digits"]) <= DIGITS]


def has_sign_or_point(text: str) -> bool:
    """Whether a text has a number with a sign or a decimal point, which comparisons of words ignore."""
    return bool(_POINTED.search(text))


def _readings_of(match: re.Match[str]) -> tuple[float, ...]:
    value = float(match["digits"].replace(",", ""))
    if match["percent"]:
        return value, value / 100
    return (value, value * POWERS[match["power"].lower()]) if match["power"] else (value,)


def _is_number(text: str) -> bool:
    """Whether a text is a single number, possibly with currency, signs or brackets."""
    matches = list(_NUMBER.finditer(text))
    if len(matches) != 1 or len(matches[0]["digits"]) > DIGITS:
        return False
    start, end = matches[0].span()
    return bool(_AROUND.fullmatch(f"{text[:start]}0{text[end:]}"))
