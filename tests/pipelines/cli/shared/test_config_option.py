"""`--config`: a file of arguments, and what is typed beside it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from longdoc.errors import UserError
from pipelines.cli.shared.options import Task, option
from pipelines.cli.shared.run_options import takes_run_options

KEYS: dict[str, Any] = {"task": str, "model": str | Mapping[str, Any], "set_": Mapping[str, Any]}


def given(*typed: str, command: str = "train", whole: bool = False) -> dict[str, Any]:
    """What a command gets, its own parameters and the arguments."""
    seen: dict[str, Any] = {}

    @takes_run_options(command, keys=KEYS, is_whole=whole)
    def called(
        task: Task,
        arguments: Mapping[str, Any],
        model: Annotated[str, option("A model.", flags=("--model", "-m"))],
        set_: Annotated[list[str] | None, option("Fields.", flags=("--set",))] = None,
    ) -> None:
        seen.update(arguments, task=task, model=model, set=set_)

    app = typer.Typer()
    app.command()(called)
    result = CliRunner().invoke(app, list(typed))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return seen


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "all.yaml"
    path.write_text(
        "task: qa\nmodel: {name: linear}\nset: {epochs: 2, rates: [1, 2]}\nk: 5\nseed: 3\n", encoding="utf-8"
    )
    return path


def test_the_file_gives_what_is_not_typed(file: Path) -> None:
    assert given("--config", str(file)) == {
        "task": "qa", "model": {"name": "linear"}, "set": ["epochs=2", "rates=[1, 2]"], "k": 5, "seed": 3,
    }  # fmt: skip


def test_what_is_typed_wins_even_where_it_is_the_default(file: Path) -> None:
    found = given("hotpotqa", "--config", str(file), "-m", "stylometry", "--seed", "0", "--budget", "90 words")
    assert (found["task"], found["model"], found["seed"]) == ("hotpotqa", "stylometry", 0)
    assert (found["budget"], "k" in found) == ("90 words", False)
    assert given("--config", str(file), "--set", "epochs=9")["set"] == ["epochs=2", "rates=[1, 2]", "epochs=9"]


def test_flags_of_the_file_can_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("task: qa\nmodel: linear\ngo_on: true\nreport: false\n", encoding="utf-8")
    found = given("--config", str(path), "--no-go-on", "--report", command="run")
    assert (found["go_on"], found["report"]) == (False, True)


def test_a_missing_key_and_one_of_another_command_are_said(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^the task is missing: type it, or set it in a file and type --config FILE$"):
        given()
    path = tmp_path / "run.yaml"
    path.write_text("metrics: f1\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"^{path}: longdoc train does not take metrics: leave it out$"):
        given("--config", str(path))
    assert given("qa", "-m", "linear", "--config", str(path), whole=True)["metrics"] == "f1"
