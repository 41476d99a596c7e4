"""A run's folder in each format that longdoc reads can be opened.

`formats` has the folders, each made by the version of its format. Who raises the format adds one (`formats/make.py`).
"""

import json
import shutil
from pathlib import Path

import pytest

import pipelines
from pipelines.results.formats import READ
from pipelines.results.run_folders.listing import runs
from pipelines.results.run_folders.run import finished_run

FORMATS = Path(__file__).parent / "formats"
ARGUMENTS = {
    "model": "extractive",
    "chunker": "sentences",
    "retriever": "bm25",
    "k": 1,
    "metrics": ["f1"],
    "report": False,
}
ANSWERS = ["Room0 holds chest 0.", "Room1 holds chest 7.", "Room2 holds chest 3."]


@pytest.fixture
def run_copy(tmp_path, request):
    """A copy of the folder of a format, as resuming writes to it."""
    return shutil.copytree(FORMATS / f"format-{request.param}", tmp_path / "run")


def for_each_format(numbers):
    return pytest.mark.parametrize("run_copy", numbers, indirect=True, ids=lambda number: f"format {number}")


def test_every_format_has_a_folder_here():
    numbers = {json.loads(file.read_text(encoding="utf-8"))["format"] for file in FORMATS.glob("format-*/run.json")}
    assert numbers == set(READ), "a new format needs a folder: python tests/pipelines/runs/formats/make.py"


@for_each_format(READ)
def test_a_format_that_is_read_gives_its_predictions_and_scores(run_copy):
    run = finished_run(run_copy)
    assert (run.task, [prediction.prediction for prediction in run.predictions]) == ("qa", ANSWERS)
    assert run.scores == {"f1": pytest.approx(66.67, abs=0.01)}
    assert "66.67" in str(pipelines.report(run_copy, format="markdown"))
    assert pipelines.compare(run_copy, shutil.copytree(run_copy, run_copy.parent / "same")).examples == 3
    assert [(listed.state, listed.examples) for listed in runs(run_copy).runs] == [("finished", 3)]


@for_each_format(READ)
def test_a_format_that_is_read_goes_on_and_becomes_the_present_one(run_copy):
    """Without its last example: two are read, and one is made from its logged reply, or asked."""
    log = run_copy / "journal.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    for name in ("predictions.jsonl", "scores.json"):
        (run_copy / name).unlink()
    result = pipelines.run("qa", data=FORMATS / "rows.jsonl", out=run_copy, **ARGUMENTS)
    assert (result.resumed, [prediction.prediction for prediction in result.predictions]) == (2, ANSWERS)
    assert result.new_requests == 0
    assert json.loads((run_copy / "run.json").read_text(encoding="utf-8"))["format"] == READ[-1]
    assert pipelines.verify(run_copy, data=FORMATS / "rows.jsonl").agrees


@for_each_format(READ)
def test_a_format_that_is_read_is_verified(run_copy):
    verification = pipelines.verify(run_copy, data=FORMATS / "rows.jsonl")
    assert [(check.name, check.details) for check in verification.checks if check.outcome == "differs"] == []
