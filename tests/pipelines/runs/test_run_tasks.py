"""Several tasks run in one call: each finds its data, tasks that cannot run are reported first, the others go on."""

import json
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.results.overviews.task_results import TaskResults

PAPERS = 478  # of the published file; the paper counts 482


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of three tasks of MuLD in its published layout; VLSP's has as many papers as the hub's."""
    muld_folder = tmp_path_factory.mktemp("muld")
    (muld_folder / "data").mkdir()
    rows = {
        "vlsp_test": [
            {"input": f"Introduction\nWe count {n}. " + "Anna lives here. " * 5, "output": [f"We count {n}."]}
            for n in range(PAPERS)
        ],
        "narrativeqa_test": [{"input": f"Who is it? {'Anna lives here. ' * 20}", "output": ["Anna"]}],
        "opensubtitles_test": [{"input": "One.\nTwo.", "output": "Eins.\nZwei.", "metadata": ""}],
    }
    for name, lines in rows.items():
        (muld_folder / "data" / f"{name}.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return muld_folder


def run(folder: Path, out: Path, tasks: str = "muld", **arguments: object) -> TaskResults:
    return pipelines.run_tasks(tasks, data=folder, model="floor", out=out, **arguments)  # type: ignore[arg-type]


def test_each_task_runs_on_its_own_file_and_missing_data_are_reported_first(folder, tmp_path, capsys):
    task_results = run(folder, tmp_path / "out", report=False, limit=1)
    assert list(task_results.results) == ["narrativeqa", "opensubtitles", "vlsp"]
    assert list(task_results.not_run) == ["hotpotqa", "style_change", "character_types"]
    assert not task_results.complete
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "longdoc: muld: 3 of 6 tasks: narrativeqa, opensubtitles, vlsp"
    assert lines[1] == (
        f"  not run: hotpotqa: {folder} has no data of hotpotqa; expected data/hotpotqa_validation.json.bz2 or "
        "a folder hotpotqa"
    )
    assert lines[-1] == f"longdoc: vlsp: 1 example done, in {tmp_path / 'out' / 'vlsp'}"
    assert task_results["vlsp"].folder == tmp_path / "out" / "vlsp"
    assert "not run: hotpotqa, style_change, character_types (for the reasons above)" in str(task_results)
    assert task_results.to_dict()["results"]["vlsp"]["examples"] == 1


def test_a_run_of_several_is_each_task_s_run_alone_and_resumes(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    alone = pipelines.run("narrativeqa", data=folder / "data" / "narrativeqa_test.json", model="extractive")
    task_results = pipelines.run_tasks("narrativeqa,vlsp", data=folder, model="extractive", limit=2, report=True)
    assert task_results["narrativeqa"].folder == alone.folder
    assert (task_results["narrativeqa"].resumed, task_results["narrativeqa"].new_requests) == (1, 0)
    assert task_results["vlsp"].report == task_results["vlsp"].folder / "report.html"
    again = pipelines.run_tasks(["narrativeqa", "vlsp"], data=folder, model="extractive", limit=2)
    assert [result.new_requests for result in again.results.values()] == [0, 0]
    assert again.overview == task_results.overview


def test_published_scores_stand_beside_the_tasks_whose_data_are_the_benchmark_s(folder, tmp_path):
    task_results = run(folder, tmp_path / "out", report=False)
    (t5, longformer) = task_results.overview.published
    assert (t5.label, longformer.label) == ("T5 512", "Longformer 4,096")
    assert {**t5.scores["vlsp"], "meteor": 0} == {"bleu-1": 28.85, "bleu-4": 0.84, "rouge-l": 16.55, "meteor": 0}
    # METEOR needs WordNet's files
    not_comparable_reasons = {why: tasks for why, tasks in task_results.overview.reasons.items() if "meteor" not in why}
    assert not_comparable_reasons == {
        "1 of 10,261 examples": ("narrativeqa",),
        "1 of 1,385 examples": ("opensubtitles",),
    }
    assert task_results.overview.systems[0].name == "floor"


def test_an_argument_that_does_not_fit_a_task_is_reported_before_any_work_and_the_others_run(folder, tmp_path):
    task_results = pipelines.run_tasks(
        "narrativeqa,opensubtitles", data=folder, model="extractive", k=3, out=tmp_path / "out", report=False
    )
    assert list(task_results.results) == ["narrativeqa"]
    assert list(task_results.not_run) == ["opensubtitles"]
    with pytest.raises(UserError, match="none of the tasks can run: unknown retriever"):
        pipelines.run_tasks("narrativeqa,vlsp", data=folder, retriever="bm52", model="extractive")


def test_a_task_that_fails_does_not_stop_the_next(tmp_path, capsys):
    rows = [{"input": f"Who? {'Anna lives here. ' * 9}", "output": ["Anna"]}]
    (tmp_path / "narrativeqa.jsonl").write_text(json.dumps(rows[0]) + "\n{broken\n")
    (tmp_path / "hotpotqa.jsonl").write_text(json.dumps(rows[0]) + "\n")
    task_results = pipelines.run_tasks(
        "narrativeqa,hotpotqa", data=tmp_path, model="extractive", out=tmp_path / "out", report=False
    )
    assert list(task_results.results) == ["hotpotqa"]
    assert list(task_results.failed) == ["narrativeqa"]
    assert "longdoc: narrativeqa failed: narrativeqa.jsonl:2" in capsys.readouterr().err


def test_a_dry_run_counts_each_task_and_names_what_cannot_run(folder):
    task_results = pipelines.dry_run_tasks("muld", data=folder, model="extractive", limit=2)
    assert {task: count.examples for task, count in task_results.counts.items()} == {
        "narrativeqa": 1,
        "opensubtitles": 1,
        "vlsp": 2,
    }
    assert list(task_results.not_run) == ["hotpotqa", "style_change", "character_types"]


def test_data_may_be_given_task_by_task_or_be_the_sample(folder, tmp_path):
    data = {"vlsp": folder / "data" / "vlsp_test.json", "narrativeqa": "sample"}
    task_results = pipelines.run_tasks(
        "narrativeqa,vlsp", data=data, model="extractive", limit=2, out=tmp_path / "out", report=False
    )
    assert [result.examples for result in task_results.results.values()] == [2, 2]
    with pytest.raises(
        UserError, match="data= has an entry for hotpotqa, which is not one of the tasks narrativeqa, vlsp"
    ):
        pipelines.run_tasks("narrativeqa,vlsp", data={"hotpotqa": "sample"}, model="extractive")


def exit_code_of(monkeypatch, *arguments: object) -> int:
    from pipelines.cli.main import main

    monkeypatch.setattr("sys.argv", ["longdoc", *map(str, arguments)])
    with pytest.raises(SystemExit) as exit_info:
        main()
    return int(exit_info.value.code or 0)


def test_the_command_prints_one_table_and_exits_with_1_where_not_all_is_done(folder, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    run = (
        "run",
        "narrativeqa,vlsp",
        "--data",
        folder,
        "--model",
        "extractive",
        "--limit",
        1,
        "--no-report",
        "--out",
        out,
    )
    assert exit_code_of(monkeypatch, *run) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "narrativeqa,vlsp: extractive"
    assert printed[1].split() == ["task", "metric", "examples", "score"]
    assert {"narrativeqa", "vlsp"} <= {line.split()[0] for line in printed[2:10]}
    assert exit_code_of(monkeypatch, *run, "--details") == 0
    assert "narrativeqa bleu-1: bleu-1|" in capsys.readouterr().out
    assert (
        exit_code_of(monkeypatch, "run", "hotpotqa,vlsp", "--data", folder, "--model", "extractive", "--dry-run") == 1
    )
    shown = capsys.readouterr().out
    assert "vlsp: " in shown and f"not run: hotpotqa: {folder} has no data of hotpotqa" in shown


def test_the_command_takes_data_by_task_and_refuses_two_for_one(folder, tmp_path, monkeypatch, capsys):
    vlsp = f"vlsp={folder / 'data' / 'vlsp_test.json'}"
    both = ("--data", vlsp, "--data", "narrativeqa=sample", "--model", "extractive", "--limit", 1, "--json")
    assert exit_code_of(monkeypatch, "run", "narrativeqa,vlsp", *both, "--out", tmp_path / "out") == 0
    assert list(json.loads(capsys.readouterr().out)["results"]) == ["narrativeqa", "vlsp"]
    assert exit_code_of(monkeypatch, "run", "narrativeqa", "--data", "a", "--data", "b") == 2
    assert "narrativeqa takes one --data, got 2" in capsys.readouterr().err


def test_of_several_splits_in_a_folder_the_given_one_is_read(tmp_path):
    (tmp_path / "data").mkdir()
    for split, answer in (("train", "Anna"), ("test", "Boris")):
        row = {"input": f"Who is it? {f'{answer} lives here. ' * 20}", "output": [answer]}
        (tmp_path / "data" / f"narrativeqa_{split}.json").write_text(json.dumps(row) + "\n")
    for split, answer in (("train", "Anna"), ("test", "Boris"), (None, "Boris")):
        task_results = pipelines.run_tasks(
            "muld", data=tmp_path, split=split, model="extractive", out=tmp_path / f"{split}", report=False
        )
        assert [prediction.references for prediction in task_results["narrativeqa"].predictions] == [(answer,)]


def test_a_reader_that_is_fitted_finds_the_training_split_beside_the_scored_one(tmp_path):
    (tmp_path / "qasper").mkdir()
    for split in ("train", "validation"):
        rows = [
            {"id": f"{split}{n}", "pid": f"{split}{n}", "input": f"Is it {n}?\n\nYes, it is {n}.", "output": "Yes"}
            for n in range(3)
        ]
        (tmp_path / "qasper" / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    task_results = pipelines.run_tasks("scrolls", data=tmp_path, model="floor", out=tmp_path / "out", report=False)
    assert (list(task_results.results), len(task_results.not_run), task_results.failed) == (["scrolls/qasper"], 6, {})
    assert task_results["scrolls/qasper"].scores["f1"] == 100
