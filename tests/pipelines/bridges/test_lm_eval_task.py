"""A task of ours in the real lm-evaluation-harness, offline: the scores are those of a run."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.bridges.lm_eval_command import evaluate

SELECTION = {"chunker": "sentences:size=200", "retriever": "bm25"}


def evaluated(folder: Path, task: str, cache: str | None = None, **arguments: Any) -> dict[str, float]:
    """The scores of the harness' function for programs, which does not look for its thousands of own tasks."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    import pipelines.bridges.lm_eval_model  # noqa: F401

    tasks = TaskManager(include_path=str(folder), include_defaults=False)
    found = simple_evaluate("longdoc", model_args=arguments, tasks=[task], task_manager=tasks, use_cache=cache)
    return plain(found["results"][task])


def plain(results: dict[str, Any]) -> dict[str, float]:
    return {name.removesuffix(",none"): value for name, value in results.items() if name.endswith(",none")}


@pytest.mark.parametrize("bound", [{"select": 300}, {"k": 3}, {"max_input_tokens": 1000}])
def test_qasper_has_the_scores_of_a_run(bound: dict[str, int], realdata: Path, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    data = realdata / "qasper" / "qasper_5_papers.json"
    expected = pipelines.run(
        "scrolls/qasper", data=data, model="extractive", out=tmp_path / "run", report=False, **SELECTION, **bound
    )
    written = pipelines.lm_task("scrolls/qasper", tmp_path / "task", data=data)
    assert (written.name, written.examples, written.scores) == ("longdoc_scrolls_qasper", 33, ("f1",))
    found = evaluated(written.folder, written.name, reader="extractive", **bound)
    assert found["f1"] == pytest.approx(expected.scores["f1"], abs=1e-9)


@pytest.mark.slow
def test_the_command_gives_the_scores_of_a_run_by_all_metrics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("lm_eval")
    metrics = ["f1", "rouge-l"]
    run = pipelines.run(
        "narrativeqa", data="sample", model="lead", metrics=metrics, out=tmp_path / "run", report=False,
        max_new_tokens=40, k=2, **SELECTION,
    )  # fmt: skip
    written = pipelines.lm_task("narrativeqa", tmp_path / "task", data="sample", metrics=metrics, max_new_tokens=40)
    place = ["--include_path", str(written.folder), "--output_path", str(tmp_path / "r.json")]
    evaluate(["--model_args", "reader=lead,k=2", "--tasks", written.name, *place])
    (file,) = tmp_path.rglob("r_*.json")
    found = plain(json.loads(file.read_text())["results"][written.name])
    assert {name: found[name] for name in run.scores} == pytest.approx(run.scores, abs=1e-9)
    assert "bm25 selected 2 chunks of each document" in capsys.readouterr().err


@pytest.mark.slow
def test_replies_that_the_harness_keeps_are_not_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("lm_eval")
    written = pipelines.lm_task("narrativeqa", tmp_path / "task", data="sample", metrics="f1")
    cache = str(tmp_path / "replies")
    first = evaluated(written.folder, written.name, cache, reader="extractive", k=2)
    assert capsys.readouterr().err.count("bm25 selected 2 chunks of each document") == 1
    assert evaluated(written.folder, written.name, cache, reader="extractive", k=2) == first
    assert "bm25 selected" not in capsys.readouterr().err


def test_the_command_line_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lm_eval")
    monkeypatch.setattr(sys, "argv", ["longdoc", "bridge", "lm-eval"])
    with pytest.raises(UserError, match="runs the model longdoc, not hf"):
        evaluate(["--model", "hf", "--tasks", "x"])
    assert sys.argv == ["longdoc", "bridge", "lm-eval"]


def test_a_folder_is_written_anew_and_another_one_is_not_touched(tmp_path: Path) -> None:
    first = pipelines.lm_task("narrativeqa", tmp_path / "task", data="sample", metrics="f1")
    again = pipelines.lm_task("narrativeqa", tmp_path / "task", data="sample", metrics="f1", limit=1)
    assert again.examples == 1 < first.examples
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("keep me")
    with pytest.raises(UserError, match="holds other files: name a new folder"):
        pipelines.lm_task("narrativeqa", tmp_path / "mine", data="sample", metrics="f1")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "keep me"


def test_a_metric_that_cannot_be_computed_here_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines.metrics import NotComputable
    from pipelines.metrics.f1 import F1

    def prepare(self: F1) -> None:
        raise NotComputable("its list is missing")

    monkeypatch.setattr(F1, "prepare", prepare)
    written = pipelines.lm_task("narrativeqa", tmp_path / "task", data="sample", metrics=["f1", "rouge-l"])
    assert written.scores == ("rouge-l",)
    assert "f1 left out: its list is missing" in str(written)


@pytest.mark.parametrize("task", ["style_change", "vlsp", "chunking_evaluation"])
def test_a_task_that_does_not_ask_one_prompt_an_example_is_refused(task: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"{task} does not ask one prompt an example .*: longdoc run {task}"):
        pipelines.lm_task(task, tmp_path / "task", data="sample")
    assert not (tmp_path / "task").exists()
