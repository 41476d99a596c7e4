"""Answers that are shown with quotes or withheld: the rule, and what it does not take."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.records import Document
from pipelines.strategies.shared.certification import Certifier, certifier_of
from tests.pipelines.strategies.shared.test_calibration import file_of

DOCUMENT = Document("d", "Anna Berg opened the meeting. The harbour costs 1,200 crowns.")


def test_without_calibration_only_what_nothing_supports_is_withheld_and_no_rate_is_given() -> None:
    certifier = Certifier("overlap")
    shown, withheld = (certifier.certified(DOCUMENT, answer, "Who?") for answer in ("Anna", "Gulls."))
    assert (shown.is_shown, shown.is_withheld) == (True, False)
    assert (withheld.is_shown, withheld.is_withheld) == (False, True)
    assert certifier.rule.note.startswith("no error rate")


def test_with_calibration_the_threshold_is_the_lowest_that_keeps_the_risk(tmp_path: Path) -> None:
    certifier = Certifier(calibration=file_of(tmp_path), risk=0.1)
    assert (certifier.rule.threshold, certifier.rule.documents, certifier.rule.tasks) == (0.9, 12, ("qa",))
    assert certifier.rule.note == (
        "wrong answers to at most 10% of a document's questions are shown: calibrated on 12 documents of qa"
    )
    assert certifier.certified(DOCUMENT, "Anna Berg and gulls", "Who?").is_withheld
    assert Certifier(calibration=file_of(tmp_path), risk=0.6).rule.threshold == 0.3


def test_a_refusal_is_neither_shown_nor_withheld() -> None:
    text = Certifier().certified(DOCUMENT, "The document does not say.", "Who?")
    assert (text.is_refusal, text.is_shown, text.is_withheld) == (True, False, False)


def test_a_certifier_is_made_again_without_its_file(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    certifier = Certifier(calibration=path, risk=0.1)
    path.unlink()
    arguments = json.loads(json.dumps(certifier.arguments()))
    again = certifier_of(arguments)
    assert again.rule == certifier.rule
    with pytest.raises(UserError, match=r"this rule is of risk=0\.1, not 0\.2"):
        certifier_of({**arguments, "risk": 0.2})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"risk": 0.05}, r"12 documents cannot give risk=0\.05: 19 are needed; give more, or a risk of 0\.077 or more"),
        ({"risk": 0.0}, "risk must be between 0 and 1, got 0"),
        ({"risk": 1.0}, "risk must be between 0 and 1, got 1"),
        ({}, "calibration needs a risk"),
        ({"risk": 0.1, "support": "cross_encoder"}, "the calibration is of support"),
    ],
)
def test_what_gives_no_rate_is_refused(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Certifier(calibration=file_of(tmp_path), **fields)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("risk=0.1", "risk=0.1 needs calibration answers"),
        ("calibration=/no/such/file,risk=0.1", "there is no calibration /no/such/file"),
        ("overlop", "overlap"),
        ("supprt=overlap", "did you mean support"),
        (["overlap"], "certify must be a support score or fields, as 'overlap', got list"),
        ({"calibration": 5, "risk": 0.1}, "calibration must be a file, got int"),
        ({"calibration": {"risk": 0.1}, "risk": 0.1}, "calibration is no rule"),
    ],
)
def test_an_argument_that_names_no_certifier_is_refused(value: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        certifier_of(value)


def test_a_calibration_of_another_task_is_refused_unless_any_task(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    with pytest.raises(UserError, match="the calibration is of qa, not of hotpotqa"):
        Certifier(calibration=path, risk=0.1).check_task("hotpotqa")
    Certifier(calibration=path, risk=0.1, any_task=True).check_task("hotpotqa")


def test_a_calibration_of_another_readers_answers_is_refused_unless_any_reader(tmp_path: Path) -> None:
    path = file_of(tmp_path, readers=["extractive"])
    certifier = Certifier(calibration=path, risk=0.1)
    certifier.check_reader("extractive")
    assert certifier.rule.note.endswith("calibrated on 12 documents of qa, answers of extractive")
    with pytest.raises(UserError, match="the calibration is of answers of extractive, not of hf:tiny"):
        Certifier(calibration=certifier.arguments()["calibration"], risk=0.1).check_reader("hf:tiny")
    Certifier(calibration=path, risk=0.1, any_reader=True).check_reader("hf:tiny")
    Certifier(calibration=file_of(tmp_path), risk=0.1).check_reader("hf:tiny")
