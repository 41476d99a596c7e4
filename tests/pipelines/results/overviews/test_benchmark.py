"""The table of a benchmark: tasks and systems, the mean, what is missing."""

import json
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.display.latex import table_latex
from pipelines.display.table import Table, numbered_columns
from pipelines.results.leaderboards.average import task_scores
from pipelines.results.overviews.overview import Overview
from pipelines.results.overviews.system import TaskScore
from pipelines.results.overviews.systems import system_of
from pipelines.results.run_folders.run import finished_run


def test_runs_are_grouped_by_recipe_and_the_mean_is_of_all_tasks(scrolls: Path) -> None:
    overview = pipelines.benchmark("scrolls", [scrolls / "first", scrolls / "two"])
    assert [system.name for system in overview.systems] == ["naive", "naive (sentences:200)"]
    first = overview.systems[0]
    scores = {column.task.removeprefix("scrolls/"): first.value(column) for column in overview.columns}
    assert scores == {  # "Anna" has one word: no bigram, so ROUGE-2 and the geometric mean are 0
        "gov_report": 0.0, "summ_screen_fd": 0.0, "qmsum": 0.0, "qasper": 100.0, "narrative_qa": 100.0,
        "quality": 100.0, "contract_nli": 100.0,
    }  # fmt: skip
    assert first.mean == pytest.approx(400 / 7)
    lines = str(overview).splitlines()
    assert lines[0] == "scrolls, validation"
    assert lines[1].split() == [
        "system", "gov_report", "summ_screen_fd", "qmsum", "qasper", "narrative_qa", "quality", "contract_nli", "mean",
    ]  # fmt: skip
    assert lines[2].split()[-2:] == ["100.00", "57.14"]
    assert overview.warnings == []


def test_one_system_has_a_row_for_each_task_with_the_mean_last(scrolls: Path) -> None:
    lines = str(pipelines.benchmark("scrolls", scrolls / "first")).splitlines()
    assert lines[0] == "scrolls, validation: naive"
    assert lines[5].split() == ["qasper", "f1", "2", "100.00"]
    assert lines[9].split() == ["mean", "57.14"]


def test_missing_tasks_are_named_and_there_is_no_mean_without_them(scrolls: Path) -> None:
    overview = pipelines.benchmark("scrolls", [scrolls / "first", scrolls / "two" / "scrolls-qasper"])
    assert [system.mean for system in overview.systems] == [pytest.approx(400 / 7), None]
    assert overview.notes[:2] == [
        "naive (sentences:200): no run of gov_report, summ_screen_fd, qmsum, narrative_qa, quality, contract_nli",
        "no mean over fewer tasks: it would not be the score of scrolls",
    ]
    partial = pipelines.benchmark("scrolls", scrolls / "two" / "scrolls-qasper")
    assert len(partial.missing) == 6
    assert "gov_report  " not in str(partial)


def test_scores_of_another_split_are_not_comparable_and_are_folded(scrolls: Path) -> None:
    overview = pipelines.benchmark("scrolls", scrolls / "first")
    assert overview.published == ()
    assert list(overview.reasons) == [
        "another split: test there, validation here",
        "the paper does not state the split",
    ]
    led = next(published for published in overview.not_comparable if published.label == "LED-base 16,384")
    assert led.scores["scrolls/gov_report"] == {"geometric_mean": 35.05}  # of 56.2, 26.6 and 28.8
    assert led.mean == 29.16
    markdown = pipelines.report(*sorted((scrolls / "first").iterdir()), format="markdown")
    assert "<details><summary>Published, not comparable</summary>" in str(markdown)


def test_a_part_of_a_split_is_a_system_of_its_own_and_is_reported(zips: Path, scrolls: Path, tmp_path: Path) -> None:
    pipelines.run("scrolls/qmsum", data=zips, limit=1, model="naive:words=1", out=tmp_path / "short", report=False)
    runs = [*sorted((scrolls / "first").iterdir()), tmp_path / "short"]
    overview = pipelines.benchmark("scrolls", runs)
    assert "naive (validation, limit=1)" in [one.name for one in overview.systems]
    assert overview.warnings == ["naive (validation, limit=1): scrolls/qmsum: 1 of 272 examples (limit=1)"]


def test_a_prompt_in_words_for_chat_models_is_in_the_name_of_the_system(zips: Path, tmp_path: Path) -> None:
    pipelines.run("scrolls/qasper", data=zips, model="naive", prompt="chat", out=tmp_path / "run")
    assert system_of(finished_run(tmp_path / "run")) == "naive (prompt=chat)"


def test_two_runs_that_nothing_tells_apart_are_refused(zips: Path, scrolls: Path, tmp_path: Path) -> None:
    pipelines.run("scrolls/qasper", data=zips, model="naive:words=1", out=tmp_path / "x", seed=1, report=False)
    with pytest.raises(UserError, match=r"both runs of scrolls/qasper by one recipe \(other seed.*\): choose one"):
        pipelines.benchmark("scrolls", [scrolls / "first", tmp_path / "x"])


def test_anything_but_a_run_of_the_benchmark_is_refused(scrolls: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean scrolls"):
        pipelines.benchmark("scroll", scrolls)
    with pytest.raises(UserError, match="is a run of scrolls/qasper, which is not a task of muld: leave it out"):
        pipelines.benchmark("muld", scrolls / "first" / "scrolls-qasper")
    with pytest.raises(UserError, match="no finished run of muld: longdoc run muld makes them"):
        pipelines.benchmark("muld", scrolls / "first")
    with pytest.raises(UserError, match="there is no folder"):
        pipelines.benchmark("muld", tmp_path / "nowhere")


def test_an_unfinished_run_in_a_folder_is_left_out_and_reported(scrolls: Path, tmp_path: Path) -> None:
    for name in ("scrolls-qasper", "scrolls-qmsum"):
        (tmp_path / name).mkdir()
        for file in (scrolls / "first" / name).iterdir():
            (tmp_path / name / file.name).write_bytes(file.read_bytes())
    (tmp_path / "scrolls-qmsum" / "scores.json").unlink()
    overview = pipelines.benchmark("scrolls", tmp_path)
    assert list(overview.systems[0].scores) == ["scrolls/qasper"]
    assert overview.warnings == [f"left out, not finished: {tmp_path / 'scrolls-qmsum'}"]


def test_a_report_of_several_tasks_is_a_page_with_links_to_the_runs(scrolls: Path, tmp_path: Path) -> None:
    runs = [scrolls / "first" / "scrolls-qasper", scrolls / "first" / "scrolls-quality"]
    page = Path(pipelines.report(*runs, out=scrolls / "two.html")).read_text(encoding="utf-8")
    assert '<h1 dir="auto">scrolls/qasper, scrolls/quality, validation</h1>' in page
    assert page.count('href="first/scrolls-qasper/report.html"') == 2  # the score, and the list of runs
    assert "<summary>Not comparable with these runs</summary>" in page
    assert "another split: test there, validation here" in page
    with pytest.raises(UserError, match="a plot is for runs of one task"):
        pipelines.report(*runs, out=tmp_path / "plot.svg")


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("markdown", "| system | gov_report |"),
        ("latex", r"\begin{tabular}{lrrrrrrrr}"),
        ("csv", "system,task,metric,score,low,high,examples,folder,remark,source"),
        ("json", '"systems": ['),
        ("html", "<!doctype html>"),
    ],
)
def test_the_command_writes_every_format(
    format: str, expected: str, scrolls: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pipelines.cli.main import main

    folders = [str(scrolls / "first"), str(scrolls / "two")]
    monkeypatch.setattr("sys.argv", ["longdoc", "benchmark", "scores", "scrolls", *folders,
                                     "--format", format])  # fmt: skip
    with pytest.raises(SystemExit):
        main()
    printed = capsys.readouterr().out
    assert expected in printed
    if format == "json":
        assert [one["name"] for one in json.loads(printed)["systems"]] == ["naive", "naive (sentences:200)"]


def test_an_overview_is_a_data_frame_with_a_row_for_each_score(scrolls: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pipelines.benchmark("scrolls", scrolls / "first").to_frame()
    assert len(frame) == 7
    assert set(frame["system"]) == {"naive"}


def test_scores_that_the_benchmark_does_not_count_have_no_mean(zips: Path, tmp_path: Path) -> None:
    task_results = pipelines.run_tasks(
        "scrolls", data=zips, model="naive:words=1", metrics="rouge-l", out=tmp_path / "out", report=False
    )
    assert {column.metric for column in task_results.overview.columns} == {"rouge-l"}
    assert (task_results.overview.mean, task_results.overview.systems[0].mean) == ("", None)


def test_a_latex_table_prints_neither_commands_nor_scores_that_are_not_comparable(scrolls: Path) -> None:
    latex = str(pipelines.report(*sorted((scrolls / "first").iterdir()), format="latex"))
    assert r"\caption{Scores on scrolls, validation: naive.}" in latex
    comments = [line for line in latex.splitlines() if line.startswith("% ")]
    assert "% published, not comparable: the paper does not state the split: qasper, quality" in comments
    assert latex.count("not comparable") == len([line for line in comments if "not comparable" in line])
    note = "meteor not computed (vlsp): WordNet is missing: python -m nltk.downloader wordnet"
    table = table_latex(Table("muld", tuple(numbered_columns(("task", "score"))), (("vlsp", "1.00"),), (note,)))
    assert table.splitlines()[1] == f"% {note}"
    assert "minipage" not in table


def test_scores_are_rows_where_the_heads_of_their_columns_are_too_long_for_a_page() -> None:
    scores = ("bleu-1", "bleu-4", "rouge-l")
    muld = [TaskScore(task, metric) for task in ("narrativeqa", "hotpotqa") for metric in scores]
    scrolls = [TaskScore(f"scrolls/{task}", "f1") for task in task_scores()["scrolls"]]
    assert [Overview("", columns, ()).is_wide for columns in (scrolls, muld[:4], muld)] == [False, False, True]
