"""A run's folder in each format that is read is opened as it was.

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
ASKED = {"model": "extractive", "chunker": "sentences", "retriever": "bm25", "k": 1, "metrics": ["f1"], "report": False}
ANSWERS = ["Room0 holds chest 0.", "Room1 holds chest 7.", "Room2 holds chest 3."]


@pytest.fixture
def copied(tmp_path, request):
    """A copy of the folder of a format, as resuming writes to it."""
    return shutil.copytree(FORMATS / f"format-{request.param}", tmp_path / "run")


def each(numbers):
    return pytest.mark.parametrize("copied", numbers, indirect=True, ids=lambda number: f"format {number}")


def test_every_format_has_a_folder_here():
    there = {json.loads(file.read_text(encoding="utf-8"))["format"] for file in FORMATS.glob("format-*/run.json")}
    assert there == set(READ), "a new format needs a folder: python tests/pipelines/runs/formats/make.py"


@each(READ)
def test_a_format_that_is_read_gives_its_predictions_and_scores(copied):
    run = finished_run(copied)
    assert (run.task, [one.prediction for one in run.predictions]) == ("qa", ANSWERS)
    assert run.scores == {"f1": pytest.approx(66.67, abs=0.01)}
    assert "66.67" in str(pipelines.report(copied, format="markdown"))
    assert pipelines.compare(copied, shutil.copytree(copied, copied.parent / "same")).examples == 3
    assert [(one.state, one.examples) for one in runs(copied).runs] == [("finished", 3)]


@each(READ)
def test_a_format_that_is_read_goes_on_and_becomes_the_present_one(copied):
    """Without its last example: two are read, and one is made from its logged reply, or asked."""
    log = copied / "journal.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    for name in ("predictions.jsonl", "scores.json"):
        (copied / name).unlink()
    result = pipelines.run("qa", data=FORMATS / "rows.jsonl", out=copied, **ASKED)
    assert (result.resumed, [one.prediction for one in result.predictions]) == (2, ANSWERS)
    assert result.new_requests == 0
    assert json.loads((copied / "run.json").read_text(encoding="utf-8"))["format"] == READ[-1]
    assert pipelines.verify(copied, data=FORMATS / "rows.jsonl").agrees


@each(READ)
def test_a_format_that_is_read_is_verified(copied):
    found = pipelines.verify(copied, data=FORMATS / "rows.jsonl")
    assert [(one.name, one.details) for one in found.checks if one.outcome == "differs"] == []
