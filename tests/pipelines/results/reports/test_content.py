"""The content of a report, gathered from one run's folder, from several, or from an ablation."""

import json
from dataclasses import replace

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.results.reports import content
from pipelines.results.run_folders.run import finished_run
from pipelines.results.scores import Scores
from tests.pipelines.results.reports import small_ablation, small_runs


def test_a_run_has_its_scores_intervals_signatures_and_counts(runs):
    gathered = content.gather(runs[0])
    (run,) = gathered.runs
    scores_json = json.loads((runs[0] / "scores.json").read_text())
    assert (gathered.task, gathered.split, gathered.baseline, gathered.part) == ("qa", "test", None, "")
    assert run.name == "bm25"
    assert run.recipe == "tokens:60 → bm25 k=2 → stuff → extractive"
    assert run.scores == scores_json["scores"]
    assert run.scores.signatures == scores_json["signatures"]
    assert run.scores.intervals == {}
    assert run.scores.no_interval == dict.fromkeys(run.scores, "3 documents: no interval; at least 5 are needed")
    assert (run.counts.examples, run.scored, run.counts.documents, run.counts.requests) == (12, 12, 3, 12)
    assert run.truncated == {"examples": 0, "tokens": 0}
    assert run.counts.tokens_shown == sum(prediction.tokens_in for prediction in finished_run(runs[0]).predictions) / 12
    assert run.versions["longdoc"]


def test_warnings_about_p_values_appear_only_where_runs_are_compared(runs):
    assert content.gather(runs[0]).warnings == ()
    assert content.gather(runs).warnings == (
        "with 3 documents no p can come out below 0.25: compare over more documents",
    )


def test_an_ablation_says_what_part_of_the_split_it_ran_on(rows, tmp_path):
    ablation = pipelines.ablate("qa", data=str(rows), model="extractive", metrics="f1", k=[1, 2], limit=4, out=tmp_path)
    assert content.gather(ablation).part == "limit=4"


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
    gathered = content.gather(runs)
    assert gathered.baseline == "bm25"
    assert [run.name for run in gathered.runs] == ["bm25", "first"]
    assert gathered.runs[0].differences == {}
    gap = gathered.runs[1].scores["f1"] - gathered.runs[0].scores["f1"]
    assert gathered.runs[1].differences["f1"].value == pytest.approx(gap)


def test_scores_begin_with_the_primary_metric():
    assert content.gather(small_ablation.ablation()).score_names[0] == "f1"


def test_a_failed_cell_keeps_its_reason():
    gathered = content.gather(small_ablation.ablation())
    assert [run.error for run in gathered.runs] == [None, None, None, "=1+1 <b>\n& 50% of_it"]
    assert len(gathered.finished) == 3


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
    published = content.gather(replace(small_ablation.ablation(), task="narrativeqa")).published
    assert published is not None
    assert {row.task for row in published.rows} == {"narrativeqa"}


def test_remarks_of_all_runs_appear_once_and_others_with_their_names():
    gathered = content.gather(small_ablation.ablation())
    scores = Scores(not_computed={"a": "why", "b": "why"})
    cells = [replace(run, warnings=("few",), run=replace(run.run, scores=scores)) for run in gathered.runs[:3]]
    cells[0] = replace(cells[0], warnings=("few", "odd"))
    gathered = replace(gathered, runs=(*cells, gathered.runs[3]), warnings=())
    assert gathered.all_warnings() == ["few", "tf_idf, k=1: odd"]
    assert gathered.not_computed() == ["a, b: why"]
    assert gathered.failed() == ["bm25|$x, k=5: failed: =1+1 <b>\n& 50% of_it"]
    many = tuple(replace(cells[1], settings={"k": k}, warnings=("odd",)) for k in range(5))
    assert replace(gathered, runs=(*many, cells[1])).all_warnings() == [
        "k=0; k=1; k=2 and 2 more: odd",
        "tf_idf, k=5: few",
    ]
    assert replace(gathered, runs=(cells[1], gathered.runs[3])).failed() == gathered.failed(), (
        "the only one is named too"
    )
