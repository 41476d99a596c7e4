"""Shards of an ablation are merged cell by cell."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.records import Document, Example


def examples() -> list[Example]:
    text = "The lease ends in May. The rent is due in June. The garden is shared."
    return [Example(f"q{n}", Document(f"d{n // 2}", f"{text} {n // 2}."), "When?", ("in May",)) for n in range(8)]


def ablate(out: str | None, **changes: Any) -> Any:
    defaults = {"data": examples(), "model": "lead", "chunker": "sentences:1", "metrics": ["f1"], "report": False}
    return pipelines.ablate("qa", out=out, **defaults | {"k": [1, 2]} | changes)


@pytest.fixture(scope="module")
def ablations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    for number in (1, 2):
        ablate(str(folder / f"{number}"), shard=f"{number}/2")
    ablate(str(folder / "third"), shard="3/3")
    ablate(str(folder / "other"), shard="2/2", k=[1, 3])
    ablate(str(folder / "whole"))
    return folder


@pytest.fixture
def shards(ablations: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ablations, tmp_path / "made")
    monkeypatch.chdir(tmp_path / "made")
    return tmp_path / "made"


def test_merged_shards_are_the_ablation_without_shards(shards: Path) -> None:
    merged: Any = pipelines.merge("2", "1", out="run", report=False)
    for table in ("csv", "markdown", "latex"):
        texts = [str(pipelines.report(one, format=table)).replace(f"{one}/runs", "runs") for one in ("run", "whole")]
        assert texts[0] == texts[1]
    assert [cell.counts.examples for cell in merged.cells] == [8, 8]
    for file in Path("whole/runs").rglob("*.json*"):
        if file.name in ("scores.json", "predictions.jsonl"):
            assert (Path("run") / file.relative_to("whole")).read_bytes() == file.read_bytes()
    again = ablate("run")
    assert [cell.scores for cell in again.cells] == [cell.scores for cell in merged.cells]


def test_a_merge_is_replaced_and_an_ablation_is_not(shards: Path) -> None:
    for _ in range(2):
        pipelines.merge("1", "2", out="run", report=False)
    ablate("run")
    for out in ("run", "whole"):
        with pytest.raises(UserError, match=r"holds an ablation that was not merged from shards, or went on since"):
            pipelines.merge("1", "2", out=out, report=False)


@pytest.mark.parametrize(
    ("folders", "message"),
    [
        (["1"], "shard 2/2 is missing: the same command with --shard 2/2"),
        (["1", "1", "2"], "1 is given twice"),
        (["1", "third"], "is shard 3/3, but others are shards of 2"),
        (["1", "other"], "other and 1 are different ablations: they differ in task, axes, baseline or cells"),
        (["1", "whole"], "holds a whole run, not a shard"),
        (["1", "1/runs"], "1/runs holds no ablation, but others do: merge ablations with ablations, runs with runs"),
    ],
)
def test_missing_doubled_and_foreign_ablations_are_named(shards: Path, folders: list[str], message: str) -> None:
    with pytest.raises(UserError) as error:
        pipelines.merge(*folders, out="run", report=False)
    assert message in str(error.value)
    assert not Path("run").exists()


def test_a_merged_ablation_needs_a_name(shards: Path) -> None:
    with pytest.raises(UserError, match=r"^name the merged ablation's folder: out=FOLDER$"):
        pipelines.merge("1", "2")


def test_a_shard_is_the_same_for_all_cells() -> None:
    for arguments in ({"shard": ["1/2", "2/2"]}, {"grid": [{"name": "a", "shard": "1/2"}]}):
        with pytest.raises(UserError, match=r"^shard is the same for all cells"):
            pipelines.plan_ablation("qa", data=examples(), model="lead", **arguments)


def test_the_cells_of_an_ablation_without_a_folder_are_merged_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [ablate(None, shard=f"{number}/2").folder for number in (1, 2)]
    merged: Any = pipelines.merge(*folders, out="run", report=False)
    assert [cell.counts.examples for cell in merged.cells] == [8, 8]
    assert all(cell.folder.parent == Path("run/runs") and "shard" not in cell.folder.name for cell in merged.cells)
    assert [(run.split, run.done) for run in pipelines.runs(folders[0]).runs] == [("test shard=1/2", "2/2")]
