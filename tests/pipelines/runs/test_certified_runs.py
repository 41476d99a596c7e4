"""Runs whose answers are certified: what is withheld, what the record says, and that quotes are the document's."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.results.run_folders.run import finished_run
from tests.pipelines.strategies.shared.test_calibration import file_of

TEXT = "Anna Berg opened the meeting of town {}. The clerk wrote the minutes."
ROWS = [
    {"id": str(number), "document": TEXT.format(number), "question": "Who opened it?", "answers": ["Anna Berg"]}
    for number in range(3)
]


def run(folder: Path, model: Any, **arguments: Any) -> Any:
    return pipelines.run("qa", data=ROWS, model=model, out=folder, report=False, metrics=["f1"], **arguments)


def test_answers_that_nothing_supports_are_withheld_with_their_claims_kept(tmp_path: Path) -> None:
    result = run(tmp_path / "gull", "constant:A gull.", certify="overlap")
    predictions = finished_run(tmp_path / "gull").predictions
    assert [prediction.prediction for prediction in predictions] == ["Unanswerable"] * 3
    record = json.loads(predictions[0].notes["certification"])
    assert (record["shown"], record["answer"]) == (False, "A gull.")
    assert record["claims"] == [{"text": "A gull.", "support": 0.0, "quote": None}]
    assert "3 of 3 outputs were withheld, as no quotes of the document support them enough" in str(result)
    assert "certify: no error rate, since there are no calibration answers" in str(result)


def test_answers_with_quotes_are_as_without_and_quotes_are_verbatim(tmp_path: Path) -> None:
    scores = run(tmp_path / "anna", "constant:Anna Berg", certify="overlap").scores
    assert scores == run(tmp_path / "plain", "constant:Anna Berg").scores
    for prediction in finished_run(tmp_path / "anna").predictions:
        record = json.loads(prediction.notes["certification"])
        (claim,) = record["claims"]
        quote, text = claim["quote"], TEXT.format(prediction.id)
        assert record["shown"]
        assert text[quote["start"] : quote["end"]] == quote["text"]


def test_the_record_says_what_is_promised_and_the_run_is_made_again_without_the_file(tmp_path: Path) -> None:
    calibration = file_of(tmp_path)
    result = run(tmp_path / "anna", "constant:Anna Berg", certify={"calibration": calibration, "risk": 0.1})
    assert "wrong answers to at most 10% of a document's questions are shown: calibrated on 12 documents" in str(result)
    record = json.loads((tmp_path / "anna" / "run.json").read_text(encoding="utf-8"))
    assert record["spec"]["certify"]["threshold"] == 0.9
    calibration.unlink()
    again = pipelines.rerun(tmp_path / "anna", data=ROWS, out=tmp_path / "again", report=False)
    assert again.scores == result.scores


def test_another_certification_is_another_run(tmp_path: Path) -> None:
    run(tmp_path / "run", "constant:Anna Berg", certify="overlap")
    with pytest.raises(UserError, match="certify"):
        run(tmp_path / "run", "constant:Anna Berg")


def test_a_calibration_of_another_task_is_refused(tmp_path: Path) -> None:
    calibration = file_of(tmp_path, tasks=["hotpotqa"])
    with pytest.raises(UserError, match="the calibration is of hotpotqa, not of qa"):
        run(tmp_path / "run", "constant:Anna Berg", certify={"calibration": calibration, "risk": 0.1})
