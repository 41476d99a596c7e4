"""The runs under a folder, whatever state they are in."""

import json
import os
import subprocess
import sys

import pytest
from filelock import FileLock

import pipelines
from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.results.run_folders.listing import runs

TEXT = "Anna keeps bees. Bert mends clocks in Vienna. Carla paints ships."
EXAMPLES = [
    Example("a", Document("d", TEXT), "Who keeps bees?", ("Anna",)),
    Example("b", Document("d", TEXT), "Where does Bert mend clocks?", ("Vienna",)),
]


def make(folder, **arguments):
    given = {"data": EXAMPLES, "model": "extractive", "metrics": ["f1"], "chunker": "sentences", **arguments}
    return pipelines.run("qa", out=folder, **given)


def states(found):
    return {run.folder.name: (run.state, run.done) for run in found.runs}


def test_runs_are_found_at_any_depth(tmp_path):
    done = make(tmp_path / "deep" / "er" / "one", k=1)
    (one,) = runs(tmp_path).runs
    assert (one.folder, one.state, one.done, one.failed) == (done.folder, "finished", "2/2", 0)
    assert (one.task, one.split, one.recipe) == ("qa", "test", done.recipe)
    assert one.scores == done.scores


def test_the_folder_itself_may_be_a_run(tmp_path):
    make(tmp_path / "one")
    assert states(runs(tmp_path / "one")) == {"one": ("finished", "2/2")}


def test_an_unfinished_run_counts_its_journal_and_says_how_to_resume(tmp_path):
    make(tmp_path / "one", limit=2)
    (tmp_path / "one" / "scores.json").unlink()
    found = runs(tmp_path)
    assert states(found) == {"one": ("unfinished", "2/2")}
    assert found.runs[0].split == "test limit=2"
    assert found.runs[0].note == f"start the same run again with out={str(tmp_path / 'one')!r}"


def test_a_run_of_the_command_line_is_resumed_by_its_command(tmp_path):
    command = [sys.executable, "-m", "longdoc"]
    typed = ["run", "qa", "--data", "sample", "--limit", "2", "--model", "extractive", "--metric", "f1"]
    subprocess.run([*command, *typed], check=True, capture_output=True, cwd=tmp_path)
    (one,) = runs(tmp_path).runs
    before = (one.folder / "predictions.jsonl").read_bytes()
    (one.folder / "scores.json").unlink()
    (again,) = runs(tmp_path).runs
    assert again.note == f"longdoc {' '.join(typed)} --out {one.folder}"
    subprocess.run([*command, *again.note.split()[1:]], check=True, capture_output=True, cwd=tmp_path)
    assert (one.folder / "predictions.jsonl").read_bytes() == before
    assert states(runs(tmp_path)) == {one.folder.name: ("finished", "2/2")}


def test_a_locked_folder_is_a_running_run(tmp_path):
    make(tmp_path / "one")
    with FileLock(tmp_path / "one" / ".lock"):
        assert states(runs(tmp_path)) == {"one": ("running", "2/2")}
    assert states(runs(tmp_path)) == {"one": ("finished", "2/2")}


def test_failed_examples_are_counted(tmp_path):
    make(tmp_path / "one", data=[*EXAMPLES, Example("c", EXAMPLES[0].document, "why " * 50)], max_input_tokens=30)
    (one,) = runs(tmp_path).runs
    assert (one.done, one.status) == ("2/3", "finished, 1 failed")


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ('{"format": 99}', "written by a newer longdoc (format 99): upgrade longdoc"),
        ('{"for', "run.json is damaged"),
        ("[]", "run.json is damaged (a list)"),
        ('{"format": 2}', "written by an older longdoc (format 2, now 4): start the run again in another folder"),
        ('{"format": 3, "spec": {"task": "qa"}}', "the files in it are damaged"),
    ],
)
def test_unreadable_folders_are_listed_with_the_reason(tmp_path, content, note):
    make(tmp_path / "one")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "run.json").write_text(content, encoding="utf-8")
    found = runs(tmp_path)
    assert states(found)["one"] == ("finished", "2/2")
    assert found.runs[-1].state == "unreadable"
    assert note in found.runs[-1].note
    assert note in str(found)


def test_an_ablation_is_one_line_with_its_cells_counted(tmp_path):
    given = {
        "data": EXAMPLES,
        "model": "extractive",
        "metrics": ["f1"],
        "chunker": "sentences",
        "out": tmp_path / "many",
    }
    ablation = pipelines.ablate("qa", k=[1, 2], **given)
    (one,) = runs(tmp_path).runs
    assert (one.status, one.done, one.recipe) == ("ablation, finished", "2/2", "ablation of k")
    assert one.scores == {"f1": max(cell.scores["f1"] for cell in ablation.cells)}
    (ablation.cells[1].folder / "scores.json").unlink()
    (one,) = runs(tmp_path).runs
    assert (one.status, one.done) == ("ablation, unfinished", "1/2")
    file = tmp_path / "many" / "ablation.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    record["cells"][1]["error"] = "out of memory"
    file.write_text(json.dumps(record), encoding="utf-8")
    (one,) = runs(tmp_path).runs
    assert (one.status, one.done) == ("ablation, finished, 1 failed", "1/2")


def test_runs_are_sorted_by_task_then_by_score_or_time(tmp_path):
    for number, name in enumerate(["worst", "best", "none"]):
        make(tmp_path / name)
        file = tmp_path / name / "scores.json"
        scored = json.loads(file.read_text(encoding="utf-8"))
        scored["scores"] = {"worst": {"f1": 1.0}, "best": {"f1": 2.0}, "none": {}}[name]
        file.write_text(json.dumps(scored), encoding="utf-8")
        for part in (tmp_path / name).glob("*.json*"):
            os.utime(part, (number, number))
    make(tmp_path / "first", data="sample", limit=1)
    by_score = [run.folder.name for run in runs(tmp_path).runs if run.folder.name != "first"]
    assert by_score == ["best", "worst", "none"]
    by_time = [run.folder.name for run in runs(tmp_path, sort="time").runs]
    assert by_time == ["first", "none", "best", "worst"]


def test_the_runs_of_one_task_can_be_selected(tmp_path):
    make(tmp_path / "one")
    assert runs(tmp_path, task="narrativeqa").runs == []
    assert str(runs(tmp_path, task="narrativeqa")) == f"no runs in {tmp_path}"
    assert len(runs(tmp_path, task="qa").runs) == 1


def test_text_has_one_line_per_run_and_json_the_same(tmp_path):
    done = make(tmp_path / "one")
    found = runs(tmp_path)
    (line,) = str(found).splitlines()
    assert line.startswith(f"{done.folder}  qa  test  finished  2/2  20")
    assert line.endswith(f"f1={done.scores['f1']:.2f}  {done.recipe}")
    (told,) = json.loads(json.dumps(found.to_dict()))["runs"]
    assert (told["folder"], told["state"], told["scores"]) == (str(done.folder), "finished", done.scores)


def test_a_folder_that_is_not_there_and_an_unknown_order_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"there is no folder .*nowhere"):
        runs(tmp_path / "nowhere")
    with pytest.raises(UserError, match="score or time"):
        runs(tmp_path, sort="name")
