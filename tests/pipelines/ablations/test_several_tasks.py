"""Ablations over several tasks: the task is an axis, cells are compared within their task, means come last."""

from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.ablations.grid import Grid
from pipelines.records import Document, Example

TEXT = "Rain fell. " * 20 + "The key lies under the stone. " + "Wind blew. " * 20
START = TEXT.index("The key")


def data(name: str, count: int = 6) -> list[Example]:
    return [
        Example(f"{name}-{i}", Document(f"{name}{i}", TEXT), "Where is the key?", ("under the stone",),
                evidence=((START, START + 29),))
        for i in range(count)
    ]  # fmt: skip


def ablate_tasks(out: Path, **changes: Any) -> Any:
    options = {"data": {"qa": data("q"), "hotpotqa": data("h")}, "retriever": ["first", "bm25"], "budget": "6 words"}
    options |= {"report": False}
    return pipelines.ablate(
        ["qa", "hotpotqa"], chunker="units:of=sentence", model="none", out=out, **(options | changes)
    )


def test_every_cell_is_run_on_every_task_and_compared_within_it(tmp_path: Path) -> None:
    ablation = ablate_tasks(tmp_path / "a")
    assert (ablation.task, ablation.split, ablation.axes["task"]) == (
        "qa hotpotqa",
        "test, validation",
        ["qa", "hotpotqa"],
    )
    assert [(cell.name, cell.scores["evidence_recall"]) for cell in ablation.cells] == [
        ("task=qa, retriever=first", 0),
        ("task=qa, retriever=bm25", 100),
        ("task=hotpotqa, retriever=first", 0),
        ("task=hotpotqa, retriever=bm25", 100),
    ]
    differences = [cell.differences.get("evidence_recall") for cell in ablation.cells]
    assert [difference and difference.value for difference in differences] == [None, 100, None, 100]
    lines = str(ablation).splitlines()
    assert ["baseline" in line for line in lines[2:6]] == [True, False, True, False]
    assert any(line.strip().startswith("Δ: less the baseline, retriever=first; p") for line in lines)


def test_the_means_over_tasks_are_of_the_scores_that_all_have(tmp_path: Path) -> None:
    ablation = ablate_tasks(tmp_path / "a", data={"qa": data("q"), "hotpotqa": data("h")})
    assert [(mean.settings["retriever"], mean.scores["evidence_recall"]) for mean in ablation.means] == [
        ("first", 0),
        ("bm25", 100),
    ]
    assert "mean of 2 tasks" in str(ablation)
    assert "mean of 2 tasks" in ablation._repr_html_()
    assert [mean["scores"]["full_evidence"] for mean in ablation.to_dict()["means"]] == [0, 100]


def test_a_folder_grows_by_cells_of_the_same_tasks_only(tmp_path: Path) -> None:
    ablate_tasks(tmp_path / "a")
    longer = ablate_tasks(tmp_path / "a", retriever=["first", "bm25", "last"])
    assert len(longer.means) == 3
    with pytest.raises(UserError, match="holds an ablation of qa hotpotqa, not of qa"):
        pipelines.ablate("qa", data=data("q"), model="none", budget=["6 words", "12 words"], out=tmp_path / "a")


def test_one_task_in_a_list_is_that_task(tmp_path: Path) -> None:
    ablation = pipelines.ablate(
        ["qa"],
        data=data("q"),
        retriever=["first", "bm25"],
        budget="6 words",
        model="none",
        report=False,
        out=tmp_path / "a",
    )
    assert (ablation.task, list(ablation.axes), ablation.means) == ("qa", ["retriever"], [])
    assert "means" not in ablation.to_dict()


def test_tasks_alone_are_an_ablation_and_may_stand_in_the_grid(tmp_path: Path) -> None:
    grid = Grid(task=["qa", "hotpotqa"])
    plan = pipelines.plan_ablation(
        grid=grid, data={"qa": data("q"), "hotpotqa": data("h")}, budget="6 words", retriever="bm25", model="none"
    )
    assert [cell.settings.name for cell in plan.cells] == ["task=qa", "task=hotpotqa"]


def test_the_page_of_several_tasks_links_to_those_of_its_runs(tmp_path: Path) -> None:
    ablation = ablate_tasks(tmp_path / "a", report=True)
    page = (ablation.folder / "report.html").read_text(encoding="utf-8")
    folders = [cell.folder for cell in ablation.finished if cell.folder is not None]
    assert len(folders) == 4
    for folder in folders:
        assert f'href="runs/{folder.name}/report.html"' in page
    assert "hotpotqa" in Path(pipelines.report(ablation.folder, out=tmp_path / "table.md")).read_text()


def test_data_of_no_task_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no data of qa; expected a folder qa"):
        ablate_tasks(tmp_path / "a", data=str(tmp_path))
    with pytest.raises(UserError, match="several tasks need data for each"):
        ablate_tasks(tmp_path / "a", data=object())
    with pytest.raises(UserError, match="given twice"):
        pipelines.ablate(["qa", "qa"], data="sample", k=[1, 2])
