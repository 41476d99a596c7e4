"""Trainings that report to experiment trackers, here a stand-in for tensorboardX, which `transformers` takes too."""

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.training.shared import trackers

LEARN: dict[str, Any] = {"epochs": 2, "learning_rate": 3e-3, "batch_size": 4, "dtype": "fp32"}
WRITER = """
import json, pathlib

class SummaryWriter:
    def __init__(self, log_dir):
        self.folder = pathlib.Path(log_dir)
        self.folder.mkdir(parents=True, exist_ok=True)

    def add_text(self, *given): pass
    def flush(self): pass
    def close(self): pass

    def add_scalar(self, name, value, step):
        with (self.folder / "scalars.jsonl").open("a") as file:
            file.write(json.dumps([step, name, value]) + "\\n")
"""


@pytest.fixture
def tracker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package tensorboardX, where no other is."""
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "tensorboardX.py").write_text(WRITER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "packages")
    for name in ("tensorboard", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, name, None)
    importlib.invalidate_caches()


def scalars(file: Path) -> list[tuple[int, str]]:
    return [tuple(json.loads(line)[:2]) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.usefixtures("tracker")
def test_losses_and_metrics_go_to_the_tracker_and_its_files_stay(
    films: Path, base: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    given = {"model": str(base("bert")), "data": films, "out": folder, **LEARN}
    pipelines.train("character_types", **given, report_to="tensorboard")
    logged = scalars(folder / "logs" / "scalars.jsonl")
    assert [step for step, name in logged if name == "train/loss"] == [5, 10]
    assert [step for step, name in logged if name == "eval/macro_f1"] == [5, 10]
    record = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    assert "report_to" not in record["spec"]["recipe"]


@pytest.mark.usefixtures("tracker")
def test_a_tracker_changes_no_weight_and_is_no_other_training(
    films: Path, base: Callable[[str], Path], tmp_path: Path
) -> None:
    model = str(base("bert"))
    for name, more in (("a", {}), ("b", {"report_to": ["tensorboard"]})):
        pipelines.train("character_types", model=model, data=films, out=tmp_path / name, **LEARN, **more)
    first, second = ((tmp_path / name / "model.safetensors").read_bytes() for name in "ab")
    assert first == second
    again = pipelines.train("character_types", model=model, data=films, out=tmp_path / "a", report_to="all", **LEARN)
    assert again.finished_earlier


@pytest.mark.slow
@pytest.mark.usefixtures("tracker")
def test_each_learning_rate_has_logs_of_its_own(films: Path, base: Callable[[str], Path], tmp_path: Path) -> None:
    given = {"model": str(base("bert")), "data": films, "out": tmp_path / "out", "epochs": 1, "dtype": "fp32"}
    pipelines.train("character_types", **given, learning_rates=[1e-3, 1e-5], report_to="tensorboard")
    assert sorted(file.parent.name for file in (tmp_path / "out" / "logs").rglob("*.jsonl")) == ["0.001", "1e-05"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("tensorbord", r"unknown tracker in report_to: 'tensorbord'; did you mean tensorboard\?"),
        ("wandb", "training cannot report to wandb here: pip install wandb"),
        (["flyte"], "training cannot report to flyte here: pip install flytekit"),
    ],
)
def test_a_tracker_that_cannot_be_used_is_refused_before_the_data_are_read(
    given: Any, problem: str, base: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("wandb", "flytekit"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UserError, match=f"^{problem}$"):
        trackers.check(given)


def test_a_recipe_without_steps_takes_no_tracker(films: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the recipe scikit_learn has no steps to report to a tracker: leave report_to"):
        pipelines.train("character_types", model="linear", data=films, out=tmp_path / "out", report_to="tensorboard")
