"""What a judge's errors add to a difference between two systems.

A judge that calls a right answer right with probability s and a wrong one wrong with probability t shows, of systems
whose true rates differ by d, the difference (s + t - 1) · d (Rogan and Gladen 1978), if it errs alike for both. So the
observed difference is divided by s + t - 1, and its interval takes in that s and t are estimates themselves, of a
number of labelled predictions: to each resample of the documents a draw of s and of t, from Beta distributions with
Jeffreys' prior. s and t are counted by `pipelines.label_agreement`, whose record is read from a file.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.folders import expanded
from pipelines.display import numbers
from pipelines.metrics.judged import NAME
from pipelines.statistics.bootstrap import bounds
from pipelines.statistics.sample import Floats, Sample

COUNTS = ("positives", "false_negatives", "negatives", "false_positives")
MINIMUM_DISCERNMENT = 0.1  # s + t - 1: a judge below tells right from wrong hardly better than chance
ENTRY = "with_labels"  # of the record: its rows
MAX_BYTES = 2**24  # of a record


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """How many of the right predictions (`positives`) and the wrong ones (`negatives`) a judge called otherwise.

    `path` is the file that says so.
    """

    path: str
    positives: int
    false_negatives: int
    negatives: int
    false_positives: int

    @property
    def discernment(self) -> float:
        """The sensitivity plus the specificity, less 1 (Youden's J): what a true difference is multiplied by."""
        return 1 - self.false_negatives / self.positives - self.false_positives / self.negatives

    def note(self, a: Sample, b: Sample, level: float, resamples: int, seed: int) -> str:
        """The difference of two systems' verdicts, corrected, in a line. Raises `UserError` for a judge by chance."""
        if self.discernment < MINIMUM_DISCERNMENT:
            problem = f"{self.path}: the judge tells right from wrong hardly better than chance"
            raise UserError(f"{problem} (sensitivity + specificity - 1 = {self.discernment:.2f}): take another judge")
        observed = b.scores[NAME] - a.scores[NAME]
        resampled = b.resampled(resamples, seed)[NAME] - a.resampled(resamples, seed)[NAME]
        draws = self._draws(len(resampled), seed)
        usable = ~np.isnan(resampled) & (draws >= MINIMUM_DISCERNMENT)
        low, high = _bounds(observed / self.discernment, resampled[usable] / draws[usable], a, level)
        plain_low, plain_high = _bounds(observed, resampled[usable], a, level)
        wider = (high - low) / (plain_high - plain_low) if plain_high > plain_low else 1.0
        return (
            f"{NAME}, corrected for the judge's errors ({self._words()}): "
            f"{numbers.difference(observed / self.discernment)} {numbers.interval(low, high)}, as observed "
            f"{numbers.difference(observed)} {numbers.interval(plain_low, plain_high)}; its interval is {wider:.2f} "
            "times as wide; this takes the judge to err alike for both systems"
        )

    def _draws(self, count: int, seed: int) -> Floats:
        """Values of `discernment` that the counts allow."""
        random = np.random.default_rng((seed, 2))
        false_negative_rates = random.beta(
            self.false_negatives + 0.5, self.positives - self.false_negatives + 0.5, count
        )
        false_positive_rates = random.beta(
            self.false_positives + 0.5, self.negatives - self.false_positives + 0.5, count
        )
        return np.asarray(1 - false_negative_rates - false_positive_rates)

    def _words(self) -> str:
        right_share, wrong_share = (
            numbers.percent(100 * count / total)
            for count, total in ((self.false_negatives, self.positives), (self.false_positives, self.negatives))
        )
        rights = f"{right_share} of {self.positives:,} right predictions called wrong"
        return f"{rights}, {wrong_share} of {self.negatives:,} wrong ones called right"


def _bounds(value: float, resampled: Floats, sample: Sample, level: float) -> tuple[float, float]:
    return bounds(value, resampled, (-100.0, max(sample.units.count, 2)), level)


def judge_errors(given_path: str | Path, rater: str = "judge") -> JudgeErrors:
    """The errors of a rater in the record of `label_agreement` (`--json`). Raises `UserError` for another file."""
    path = expanded(str(given_path))
    try:
        record = plain_json.load(path, MAX_BYTES)
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror}; longdoc analyze label-agreement … --json > FILE"
        ) from None
    except ValueError as error:
        raise _refusal(path, f"it is no JSON that can be read ({error})") from None
    rows = record.get(ENTRY) if isinstance(record, dict) else None
    row = next((row for row in _dicts(rows) if row.get("rater") == rater), None)
    if row is None:
        raise _refusal(path, f"it has no row of the rater {rater!r}")
    counts = [value for name in COUNTS if type(value := row.get(name)) is int]
    if len(counts) < len(COUNTS) or not (0 <= counts[1] <= counts[0] > 0 and 0 <= counts[3] <= counts[2] > 0):
        raise _refusal(path, "it lacks right and wrong predictions with what the judge called them")
    return JudgeErrors(str(given_path), *counts)


def _dicts(rows: Any) -> list[dict[str, Any]]:
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _refusal(path: Path, reason: str) -> UserError:
    command = "longdoc analyze label-agreement TASK FILE… --judge MODEL --json > FILE"
    return UserError(f"{path} is no record of a judge's agreement with labels: {reason}; make one by {command}")
