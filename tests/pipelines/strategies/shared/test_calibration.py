"""Calibration answers: their file, and the threshold that follows from them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longdoc import checked_json
from longdoc.errors import UserError
from pipelines.strategies.shared.calibration import (
    MOST_BYTES,
    Calibration,
    CalibrationAnswer,
    certified_threshold,
    read_calibration,
)
from pipelines.strategies.shared.certification import Certifier


def answers(documents: int = 12) -> tuple[CalibrationAnswer, ...]:
    """Of each document a right answer of support 0.9, and a wrong one of support 0.3."""
    return tuple(
        CalibrationAnswer(f"d{number}", support, support > 0.5) for number in range(documents) for support in (0.9, 0.3)
    )


def file_of(folder: Path, documents: int = 12, **changes: Any) -> Path:
    content = Calibration(("qa",), {"name": "overlap"}, answers(documents)).to_dict() | changes
    path = folder / "calibration.json"
    path.write_text(checked_json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 1}, "has format 1, not 2: make it again"),
        ({"answers": [{"document": "d"}]}, "no field 'support'"),
        ({"answers": [{"document": "d", "support": 1, "is_right": "yes", "is_refusal": False}]}, "is_right"),
        ({"answers": []}, r"0 documents cannot give risk=0\.1: 9 are needed"),
        ({"support": {"name": "overlop"}}, "overlap"),
        ({"tasks": "qa"}, "tasks"),
        ({"readers": "extractive"}, "readers"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Certifier(calibration=file_of(tmp_path, **changes), risk=0.1)


def test_a_file_larger_than_a_calibration_can_be_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(UserError, match=r"is no calibration \(it has over 95 MiB\)"):
        read_calibration(path)


def test_one_class_only_has_the_threshold_that_follows() -> None:
    right = [CalibrationAnswer(f"d{number}", 0.4, True) for number in range(12)]
    wrong = [CalibrationAnswer(f"d{number}", 0.4, False) for number in range(12)]
    assert (certified_threshold(right, 0.1), certified_threshold(wrong, 0.1)) == (0.4, np.nextafter(0.4, 1))
