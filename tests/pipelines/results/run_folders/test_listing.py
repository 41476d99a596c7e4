"""The runs under a folder, whatever state they are in."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

import pipelines
from longdoc import checked_json
from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.results.formats import ABLATION_FORMAT, FORMAT
from pipelines.results.run_folders import resuming
from pipelines.results.run_folders.listing import runs

TEXT = "Anna keeps bees. Bert mends clocks in Vienna. Carla paints ships."
EXAMPLES = [
    Example("a", Document("d", TEXT), "Who keeps bees?", ("Anna",)),
    Example("b", Document("d", TEXT), "Where does Bert mend clocks?", ("Vienna",)),
]


def make(folder, **arguments):
    all_arguments = {"data": EXAMPLES, "model": "extractive", "metrics": ["f1"], "chunker": "sentences", **arguments}
    return pipelines.run("qa", out=folder, **all_arguments)


def states(listing):
    return {run.folder.name: (run.state, run.done) for run in listing.runs}


def test_runs_are_found_at_any_depth(tmp_path):
    result = make(tmp_path / "deep" / "er" / "one", k=1)
    (listed,) = runs(tmp_path).runs
    assert (listed.folder, listed.state, listed.done, listed.failed) == (result.folder, "finished", "2/2", 0)
    assert (listed.task, listed.split, listed.recipe) == ("qa", "test", result.recipe)
    assert dict(listed.scores) == dict(result.scores)


def test_the_folder_itself_may_be_a_run(tmp_path):
    make(tmp_path / "one")
    assert states(runs(tmp_path / "one")) == {"one": ("finished", "2/2")}


def test_an_unfinished_run_counts_its_journal_and_says_how_to_resume(tmp_path):
    make(tmp_path / "one", limit=2)
    (tmp_path / "one" / "scores.json").unlink()
    listing = runs(tmp_path)
    assert states(listing) == {"one": ("unfinished", "2/2")}
    assert listing.runs[0].split == "test limit=2"
    assert listing.runs[0].note == f"start the same run again with out={str(tmp_path / 'one')!r}"


def test_a_run_of_the_command_line_is_resumed_by_its_command(tmp_path):
    command = [sys.executable, "-m", "longdoc"]
    words = ["run", "qa", "--data", "sample", "--limit", "2", "--model", "extractive", "--metric", "f1"]
    subprocess.run([*command, *words], check=True, capture_output=True, cwd=tmp_path)
    (listed,) = runs(tmp_path).runs
    before = (listed.folder / "predictions.jsonl").read_bytes()
    (listed.folder / "scores.json").unlink()
    (again,) = runs(tmp_path).runs
    assert again.note == f"longdoc {' '.join(words)} --out {listed.folder}"
    subprocess.run([*command, *again.note.split()[1:]], check=True, capture_output=True, cwd=tmp_path)
    assert (listed.folder / "predictions.jsonl").read_bytes() == before
    assert states(runs(tmp_path)) == {listed.folder.name: ("finished", "2/2")}


def test_a_locked_folder_is_a_running_run(tmp_path):
    make(tmp_path / "one")
    with FileLock(tmp_path / "one" / ".lock"):
        assert states(runs(tmp_path)) == {"one": ("running", "2/2")}
    assert states(runs(tmp_path)) == {"one": ("finished", "2/2")}


def test_failed_examples_are_counted(tmp_path):
    make(
        tmp_path / "one",
        data=[*EXAMPLES, Example("c", EXAMPLES[0].document, "why " * 50)],
        model="extractive:max_input_tokens=30",
    )
    (listed,) = runs(tmp_path).runs
    assert (listed.done, listed.status) == ("2/3", "finished, 1 failed")


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ('{"format": 99}', "written by a newer longdoc (format 99): upgrade longdoc"),
        ('{"for', "run.json is damaged"),
        ("[]", "run.json is damaged (a list)"),
        ('{"format": 2}', "written by an older longdoc (format 2, now 6): start the run again in another folder"),
        (checked_json.dumps({"format": FORMAT, "spec": {"task": "qa"}}), "the files in it are damaged"),
    ],
)
def test_unreadable_folders_are_listed_with_the_reason(tmp_path, content, note):
    make(tmp_path / "one")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "run.json").write_text(content, encoding="utf-8")
    listing = runs(tmp_path)
    assert states(listing)["one"] == ("finished", "2/2")
    assert listing.runs[-1].state == "unreadable"
    assert note in listing.runs[-1].note
    assert note in str(listing)


def test_an_ablation_whose_record_has_another_type_is_listed_with_the_reason(tmp_path):
    make(tmp_path / "one")
    (tmp_path / "two").mkdir()
    record = {
        "format": ABLATION_FORMAT,
        "task": 5,
        "split": "test",
        "baseline": "",
        "axes": {},
        "primary_metric": None,
        "cells": [],
    }
    (tmp_path / "two/ablation.json").write_text(checked_json.dumps(record), encoding="utf-8")
    listing = runs(tmp_path)
    assert "the field 'task' has an invalid value" in str(listing)
    assert states(listing)["one"] == ("finished", "2/2")


def test_an_ablation_is_one_line_with_its_cells_counted(tmp_path):
    arguments = {
        "data": EXAMPLES,
        "model": "extractive",
        "metrics": ["f1"],
        "chunker": "sentences",
        "out": tmp_path / "many",
    }
    ablation = pipelines.ablate("qa", k=[1, 2], **arguments)
    (listed,) = runs(tmp_path).runs
    assert (listed.status, listed.done, listed.recipe) == ("ablation, finished", "2/2", "ablation of k")
    assert listed.scores == {"f1": max(cell.scores["f1"] for cell in ablation.cells)}
    (ablation.cells[1].folder / "scores.json").unlink()
    (listed,) = runs(tmp_path).runs
    assert (listed.status, listed.done) == ("ablation, unfinished", "1/2")
    file = tmp_path / "many" / "ablation.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    record["cells"][1]["error"] = "out of memory"
    file.write_text(checked_json.dumps(record), encoding="utf-8")
    (listed,) = runs(tmp_path).runs
    assert (listed.status, listed.done) == ("ablation, finished, 1 failed", "1/2")


GRID = {"data": EXAMPLES, "model": "extractive", "metrics": ["f1"], "chunker": "sentences", "report": False}


def test_cells_of_an_ablation_are_in_its_entry_and_those_that_were_also_runs_are_listed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    alone = pipelines.run("qa", k=1, **GRID)
    pipelines.ablate("qa", k=[1, 2, 3], **GRID)
    listing = runs()
    ablation = next(run for run in listing.runs if run.cells)
    assert [run.folder for run in listing.runs if not run.cells] == [alone.folder]
    assert [run.folder.resolve() for run in ablation.runs] == ordered(ablation.folder)
    assert (len(ablation.runs), listing.left_out, ablation.examples, ablation.total) == (3, 2, 6, 6)
    assert str(listing).endswith("2 cells of ablations not listed: --all (all=True) lists them")
    whole_listing = runs(all=True)
    assert sorted(run.folder for run in whole_listing.runs if not run.cells) == sorted(
        run.folder for run in ablation.runs
    )
    assert (whole_listing.left_out, whole_listing.hint) == (0, "")
    dicts = listing.to_dict()["runs"]
    assert [len(entry["runs"]) for entry in dicts if entry["cells"]] == [3]


def ordered(folder):
    record = json.loads((folder / "ablation.json").read_text(encoding="utf-8"))
    return [(folder / cell["folder"]).resolve() for cell in record["cells"]]


def test_with_all_the_cells_inside_an_ablations_folder_are_listed_too(tmp_path):
    pipelines.ablate("qa", k=[1, 2], out=tmp_path / "grid", **GRID)
    assert [run.folder.name for run in runs(tmp_path).runs] == ["grid"]
    inside = [run.folder.parent for run in runs(tmp_path, all=True).runs if not run.cells]
    assert inside == [tmp_path / "grid" / "runs"] * 2


SLOW = """
import time
from dataclasses import dataclass
from models import Generate, Prompt, Reader, Reply

@dataclass(frozen=True)
class Slow(Reader):
    supports = frozenset({Generate})
    max_input_tokens: int | None = None

    def count(self, texts):
        return [len(text.split()) for text in texts]

    def reply(self, requests):
        time.sleep(0.1 * len(requests))
        return [Reply("Anna", tokens_in=3, tokens_out=1) for one in requests]
"""


@pytest.mark.slow
@pytest.mark.parametrize("out", [[], ["--out", "my grid"]])
def test_an_ablation_that_was_killed_is_one_line_with_the_command_that_goes_on_with_it(tmp_path, out, monkeypatch):
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    words = ["ablate", "narrativeqa", "--data", "sample", "--limit", "20", "--model", "slow:Slow", "-k", "1,2,3"]
    words += ["--metric", "f1", "--no-report", *out]
    command = [sys.executable, "-m", "longdoc"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path.cwd())])}
    monkeypatch.chdir(tmp_path)
    killed = subprocess.Popen([*command, *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not any(file.stat().st_size for file in tmp_path.rglob("journal.jsonl")):
        assert killed.poll() is None
        time.sleep(0.05)
    (listed,) = runs(".").runs
    assert (listed.status, listed.note) == ("ablation, running", "")
    killed.kill()
    killed.wait()
    (listed,) = runs(".").runs
    assert (listed.status, listed.done) == ("ablation, unfinished", "0/3")
    assert 0 < listed.examples < listed.total == 60
    assert listed.command == listed.note == shlex.join(["longdoc", *words])
    text = str(runs("."))
    assert text.count("longdoc ablate") == 1
    assert len(text.splitlines()) == 5, "task, headings, the ablation, its command, how many cells it has"
    subprocess.run([*command, *shlex.split(listed.command)[1:]], env=environment, check=True, capture_output=True)
    (listed,) = runs(".").runs
    assert (listed.status, listed.done, listed.note) == ("ablation, finished", "3/3", "")


def test_the_command_of_an_ablation_goes_to_where_it_was_started(tmp_path, monkeypatch):
    (tmp_path / "my home").mkdir()
    monkeypatch.chdir(tmp_path / "my home")
    ablation = pipelines.ablate("qa", k=[1, 2], **GRID)
    (ablation.cells[1].folder / "scores.json").unlink()
    file = ablation.folder / "ablation.json"
    record = json.loads(file.read_text(encoding="utf-8"))

    def note(command):
        file.write_text(checked_json.dumps(record | {"command": command}), encoding="utf-8")
        (listed,) = runs(tmp_path / "my home").runs
        return listed.note

    assert note("longdoc ablate qa -k 1,2") == "longdoc ablate qa -k 1,2"
    assert note("") == "start the same ablation again"
    assert note("longdoc ablate qa; reboot") == "start the same ablation again"
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my home" / file
    assert note("longdoc ablate qa -k 1,2") == f"cd '{tmp_path / 'my home'}' && longdoc ablate qa -k 1,2"


def test_an_ablation_that_names_itself_as_its_cell_is_read_once(tmp_path):
    ablation = pipelines.ablate("qa", k=[1, 2], out=tmp_path / "grid", **GRID)
    file = tmp_path / "grid" / "ablation.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    record["cells"][0]["folder"] = "."
    file.write_text(checked_json.dumps(record), encoding="utf-8")
    shutil.copy(ablation.cells[0].folder / "run.json", tmp_path / "grid" / "run.json")
    (listed,) = runs(tmp_path).runs
    assert (listed.status, listed.done) == ("ablation, unfinished", "1/2")


def test_the_command_of_a_moved_run_has_its_new_folder(tmp_path):
    for option, new_option in (("--out a", "--out 'b c'"), ("--out=a", "'--out=b c'"), ("", "--out 'b c'")):
        record = {"starts": [{"command": f"longdoc run qa {option}".rstrip()}]}
        assert resuming.run(Path("b c"), record) == f"longdoc run qa {new_option}"


def test_a_run_that_was_one_of_several_goes_on_with_rerun_and_not_with_the_command_of_all():
    record = {"arguments": {"task": "vlsp"}}
    for command in ("longdoc run muld --data M", "longdoc run qa,vlsp --data M", "longdoc run --config run.yaml"):
        assert resuming.run(Path("runs/a b"), record | {"starts": [{"command": command}]}) == "longdoc rerun 'runs/a b'"
    alone = record | {"starts": [{"command": "longdoc run vlsp --data M"}]}
    assert resuming.run(Path("a"), alone) == "longdoc run vlsp --data M --out a"


def test_runs_are_sorted_by_task_then_by_score_or_time(tmp_path):
    for number, name in enumerate(["worst", "best", "none"]):
        make(tmp_path / name)
        file = tmp_path / name / "scores.json"
        scored = json.loads(file.read_text(encoding="utf-8"))
        scored["scores"] = {"worst": {"f1": 1.0}, "best": {"f1": 2.0}, "none": {}}[name]
        file.write_text(checked_json.dumps(scored), encoding="utf-8")
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
    assert str(runs(tmp_path, task="narrativeqa")) == f"  no runs in {tmp_path}"
    assert len(runs(tmp_path, task="qa").runs) == 1


def test_text_has_one_line_per_run_below_the_names_of_scores_and_json_the_same(tmp_path):
    result = make(tmp_path / "one")
    listing = runs(tmp_path)
    task, heads, line = str(listing).splitlines()
    assert (task, heads.split()) == ("qa", ["run", "split", "state", "done", "written", "f1", "recipe"])
    assert line.startswith(f"  {result.folder}  test   finished   2/2  20")
    assert line.endswith(f"  {result.scores['f1']:.2f}  {result.recipe}")
    (as_dict,) = json.loads(json.dumps(listing.to_dict()))["runs"]
    assert (as_dict["folder"], as_dict["state"], as_dict["scores"]) == (str(result.folder), "finished", result.scores)


def test_a_folder_that_is_not_there_and_an_unknown_order_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"there is no folder .*nowhere"):
        runs(tmp_path / "nowhere")
    with pytest.raises(UserError, match="sort must be score or time"):
        runs(tmp_path, sort="name")
