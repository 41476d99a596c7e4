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


def arguments_of(*words: str, command: str = "train", whole: bool = False) -> dict[str, Any]:
    """The parameters and arguments that a command gets."""
    received: dict[str, Any] = {}

    @takes_run_options(command, keys=KEYS, is_whole=whole)
    def fake_command(
        task: Task,
        arguments: Mapping[str, Any],
        model: Annotated[str, option("A model.", flags=("--model", "-m"))],
        set_: Annotated[list[str] | None, option("Fields.", flags=("--set",))] = None,
    ) -> None:
        received.update(arguments, task=task, model=model, set=set_)

    app = typer.Typer()
    app.command()(fake_command)
    result = CliRunner().invoke(app, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return received


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "all.yaml"
    path.write_text(
        "task: qa\nmodel: {name: linear}\nset: {epochs: 2, rates: [1, 2]}\nk: 5\nseed: 3\n", encoding="utf-8"
    )
    return path


def test_the_file_gives_the_arguments_that_are_not_typed(file: Path) -> None:
    assert arguments_of("--config", str(file)) == {
        "task": "qa", "model": {"name": "linear"}, "set": ["epochs=2", "rates=[1, 2]"], "k": 5, "seed": 3,
    }  # fmt: skip


def test_typed_arguments_win_even_where_they_are_the_defaults(file: Path) -> None:
    arguments = arguments_of(
        "hotpotqa", "--config", str(file), "-m", "stylometry", "--seed", "0", "--budget", "90 words"
    )
    assert (arguments["task"], arguments["model"], arguments["seed"]) == ("hotpotqa", "stylometry", 0)
    assert (arguments["budget"], "k" in arguments) == ("90 words", False)
    assert arguments_of("--config", str(file), "--set", "epochs=9")["set"] == ["epochs=2", "rates=[1, 2]", "epochs=9"]


def test_flags_of_the_file_can_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("task: qa\nmodel: linear\ngo_on: true\nreport: false\n", encoding="utf-8")
    arguments = arguments_of("--config", str(path), "--no-go-on", "--report", command="run")
    assert (arguments["go_on"], arguments["report"]) == (False, True)


def test_a_missing_key_and_one_of_another_command_are_reported(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^the task is missing: type it, or set it in a file and type --config FILE$"):
        arguments_of()
    path = tmp_path / "run.yaml"
    path.write_text("metrics: f1\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"^{path}: longdoc train does not take metrics: leave it out$"):
        arguments_of("--config", str(path))
    assert arguments_of("qa", "-m", "linear", "--config", str(path), whole=True)["metrics"] == "f1"
