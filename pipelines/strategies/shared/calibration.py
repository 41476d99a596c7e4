"""Answers of which it is known whether they are right, and the threshold of support that they are calibrated to.

The threshold is the lowest one at which the share of a document's questions that have a wrong answer shown is at most
`risk` in expectation, for a further document that is exchangeable with theirs (conformal risk control,
`pipelines.statistics.risk_control`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from longdoc import checked_json, plain_json, record_checks
from longdoc.errors import UserError
from longdoc.file_values import marked_with_file
from longdoc.folders import expanded
from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from pipelines.statistics.risk_control import largest_threshold, units_needed

FORMAT = 2
MOST_BYTES = 100_000_000
HINT = "longdoc analyze certify … --calibration FILE writes one"


@dataclass(frozen=True, slots=True)
class CalibrationAnswer:
    """An answer to calibrate on: its document, its support, 0–1, and whether it is right, or a refusal."""

    document: str
    support: float
    is_right: bool
    is_refusal: bool = False

    def is_shown(self, threshold: float) -> bool:
        """Whether it is shown: it answers, and its support is the threshold or more."""
        return not self.is_refusal and self.support >= threshold


@dataclass(frozen=True, slots=True)
class Calibration:
    """The answers of a file of calibration, the tasks they are of, and the description of the support score.

    `readers` gave the answers, as far as runs name them; empty where the answers are published ones.
    """

    tasks: tuple[str, ...]
    support: Mapping[str, Any]
    answers: tuple[CalibrationAnswer, ...]
    readers: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The content of its file."""
        answers = [plain_fields(answer) for answer in self.answers]
        fields = {"tasks": list(self.tasks), "readers": list(self.readers), "support": dict(self.support)}
        return {"format": FORMAT, **fields, "answers": answers}


def certified_threshold(answers: Sequence[CalibrationAnswer], risk: float) -> float:
    """The lowest threshold of support with that risk.

    Raises `UserError` for a risk that is no share, or that so few documents cannot give.
    """
    check_documents(answers, risk)
    values = sorted({answer.support for answer in answers})
    thresholds = np.array([*values, np.nextafter(values[-1], np.inf)])
    names = np.array([answer.document for answer in answers])
    wrong_table = np.array([_highest_wrong_threshold(answer) for answer in answers])[:, None] >= thresholds
    losses = np.stack([wrong_table[names == name].mean(0) for name in dict.fromkeys(names.tolist())])
    choice = largest_threshold((-thresholds).tolist(), losses, risk)
    assert choice is not None  # above all values none of them is shown, and check_documents says that 1/(n+1) is less
    return -choice[0]


def _highest_wrong_threshold(answer: CalibrationAnswer) -> float:
    """The highest threshold at which an answer is shown though it is wrong; minus infinity where it never is."""
    return float("-inf") if answer.is_right or answer.is_refusal else answer.support


def check_documents(answers: Sequence[CalibrationAnswer], risk: float) -> None:
    """Raise `UserError` for a risk that is no share, or that so few documents cannot give."""
    if not 0 < risk < 1:
        raise UserError(f"risk must be between 0 and 1, got {risk}: give a share, as risk=0.1")
    documents = len({answer.document for answer in answers})
    if documents < (needed_count := units_needed(risk)):
        raise UserError(
            f"{counted(documents, 'document')} cannot give risk={risk:g}: {needed_count} are needed; give more, or a "
            f"risk of {1 / (documents + 1):.3f} or more"
        )


_ANSWER_TESTS = {
    "document": record_checks.text,
    "support": lambda value: record_checks.number(value) and isfinite(value),
    "is_right": lambda value: isinstance(value, bool),
    "is_refusal": lambda value: isinstance(value, bool),
}
_TESTS = {
    "format": record_checks.count,
    "tasks": record_checks.each_item(record_checks.text),
    "readers": record_checks.each_item(record_checks.text),
    "support": record_checks.mapping(lambda value: True),
    "answers": record_checks.each_item(record_checks.mapping(lambda value: True)),
}


def read_calibration(path: str | Path) -> Calibration:
    """The answers of a JSON file. Raises `UserError` for what is none, and for one of another version."""
    if not isinstance(path, (str, Path)):
        raise UserError(f"certify: calibration must be a file, got {type(path).__name__}")
    file = expanded(path)
    if not file.is_file():
        raise UserError(f"there is no calibration {path}: {HINT}")
    try:
        plain_json.check_size(file, MOST_BYTES)
        record = checked_json.load(file)
        if "format" in record and record["format"] != FORMAT:
            raise UserError(f"{path} has format {record['format']!r}, not {FORMAT}: make it again with this version")
        record_checks.check(record, _TESTS)
        for answer in record["answers"]:
            record_checks.check(answer, _ANSWER_TESTS)
    except ValueError as error:
        raise UserError(f"{path} is no calibration ({error}): {HINT}") from None
    answers = tuple(CalibrationAnswer(**{name: answer[name] for name in _ANSWER_TESTS}) for answer in record["answers"])
    support = marked_with_file(record["support"], str(path))
    return Calibration(tuple(record["tasks"]), support, answers, tuple(record["readers"]))
