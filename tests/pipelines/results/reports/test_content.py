"""What a report is made of: gathered from run folders, one or several, or an ablation."""

import json
from dataclasses import replace

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.results.reports import content
from pipelines.results.run_folders.run import finished_run
from pipelines.results.scores import Scores
from tests.pipelines.results.reports import made, small_runs


def test_a_run_has_its_scores_intervals_signatures_and_counts(runs):
    found = content.gather(runs[0])
    (run,) = found.runs
    kept = json.loads((runs[0] / "scores.json").read_text())
    assert (found.task, found.split, found.baseline, found.part) == ("qa", "test", None, "")
    assert run.name == "bm25"
    assert run.recipe == "tokens:60 → bm25 k=2 → stuff → extractive"
    assert run.scores == kept["scores"]
    assert run.scores.signatures == kept["signatures"]
    assert run.scores.intervals == {}
    assert run.scores.no_interval == dict.fromkeys(run.scores, "3 documents: no interval; at least 5 are needed")
    assert (run.counts.examples, run.scored, run.counts.documents, run.counts.requests) == (12, 12, 3, 12)
    assert run.truncated == {"examples": 0, "tokens": 0}
    assert run.counts.tokens_shown == sum(one.tokens_in for one in finished_run(runs[0]).predictions) / 12
    assert run.versions["longdoc"]


def test_warnings_about_p_values_appear_only_where_runs_are_compared(runs):
    assert content.gather(runs[0]).warnings == ()
    assert content.gather(runs).warnings == (
        "with 3 documents no p can come out below 0.25: compare over more documents",
    )


def test_an_ablation_says_what_part_of_the_split_it_ran_on(rows, tmp_path):
    found = pipelines.ablate("qa", data=str(rows), model="extractive", metrics="f1", k=[1, 2], limit=4, out=tmp_path)
    assert content.gather(found).part == "limit=4"


def test_runs_of_different_parts_are_named_by_all_of_them(rows, tmp_path):
    whole = small_runs.run(rows, tmp_path / "whole")
    few = small_runs.run(rows, tmp_path / "few", limit=4)
    assert content.gather([whole, few]).part == "all, limit=4"
    assert content.gather([few]).part == "limit=4"


def test_the_score_of_a_single_class_is_no_example_score(tmp_path):
    rows = [{"id": f"{n}", "document": "Rain.", "question": "?", "answers": ["ab"[n]]} for n in range(2)]
    file = small_runs.write_rows(tmp_path / "rows.jsonl", rows)
    metrics = ["macro_f1:[a,b]", "accuracy"]
    run = finished_run(small_runs.run(file, tmp_path / "run", model="constant:a", metrics=metrics))
    assert run.scores["f1[b]"] == 0
    assert run.example_scores == {"accuracy": [100.0, 0.0]}


def test_several_runs_are_compared_with_the_first(runs):
    found = content.gather(runs)
    assert found.baseline == "bm25"
    assert [run.name for run in found.runs] == ["bm25", "first"]
    assert found.runs[0].differences == {}
    gap = found.runs[1].scores["f1"] - found.runs[0].scores["f1"]
    assert found.runs[1].differences["f1"].value == pytest.approx(gap)


def test_scores_begin_with_the_primary_metric():
    assert content.gather(made.ablation()).score_names[0] == "f1"


def test_a_failed_cell_keeps_its_reason():
    found = content.gather(made.ablation())
    assert [run.error for run in found.runs] == [None, None, None, "=1+1 <b>\n& 50% of_it"]
    assert len(found.finished) == 3


def test_runs_of_one_name_are_distinguished_by_their_paths(rows, tmp_path):
    folders = [small_runs.run(rows, tmp_path / place / "run") for place in ("here", "there")]
    assert [run.name for run in content.gather(folders).runs] == ["here/run", "there/run"]


def test_runs_of_other_data_are_refused(runs, tmp_path):
    other = small_runs.write_rows(tmp_path / "rows.jsonl", list(small_runs.rows())[:4])
    with pytest.raises(UserError, match="runs of other data: report them apart"):
        content.gather([runs[0], small_runs.run(other, tmp_path / "run")])


def test_a_run_named_twice_is_refused(runs):
    with pytest.raises(UserError, match="twice"):
        content.gather([runs[0], runs[0]])


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"there is no run\.json"):
        content.gather(tmp_path)


def test_published_scores_are_included_where_there_are_any(runs):
    assert content.gather(runs[0]).published is None
    found = content.gather(replace(made.ablation(), task="narrativeqa")).published
    assert found is not None
    assert {row.task for row in found.rows} == {"narrativeqa"}


def test_remarks_of_all_runs_appear_once_and_others_with_their_names():
    found = content.gather(made.ablation())
    scores = Scores(not_computed={"a": "why", "b": "why"})
    cells = [replace(run, warnings=("few",), run=replace(run.run, scores=scores)) for run in found.runs[:3]]
    cells[0] = replace(cells[0], warnings=("few", "odd"))
    found = replace(found, runs=(*cells, found.runs[3]), warnings=())
    assert found.all_warnings() == ["few", "tf_idf, k=1: odd"]
    assert found.not_computed() == ["a, b: why"]
    assert found.failed() == ["bm25|$x, k=5: failed: =1+1 <b>\n& 50% of_it"]
    many = tuple(replace(cells[1], settings={"k": k}, warnings=("odd",)) for k in range(5))
    assert replace(found, runs=(*many, cells[1])).all_warnings() == [
        "k=0; k=1; k=2 and 2 more: odd",
        "tf_idf, k=5: few",
    ]
    assert replace(found, runs=(cells[1], found.runs[3])).failed() == found.failed(), "the only one is named too"
