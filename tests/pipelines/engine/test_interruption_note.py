"""The note on a run that breaks off: what is kept, and the command or the call that goes on."""

import shlex
import sys
from contextvars import copy_context
from pathlib import Path

import pytest

import pipelines
from models.baselines.extractive import Extractive
from pipelines.cli.main import main
from tests.pipelines.results.reports import small_runs

ROWS = 40  # more than two calls of the reader, each of which takes 16 requests


@pytest.fixture
def rows(tmp_path):
    (row, *_) = small_runs.rows()
    many_rows = ({**row, "id": f"q-{n}", "question": f"What stands in room {n} of the house?"} for n in range(ROWS))
    return small_runs.write_rows(tmp_path / "rows.jsonl", many_rows)


@pytest.fixture
def broken_reader(monkeypatch):
    """Break the reader at its second call; the value is the function that repairs it."""
    reply, calls = Extractive.reply, []

    def breaking(self, requests):
        calls.append(len(requests))
        if len(calls) == 2:
            raise RuntimeError("out of memory")
        return reply(self, requests)

    with monkeypatch.context() as patched:
        patched.setattr(Extractive, "reply", breaking)
        yield patched.undo


def type_command(monkeypatch, *words):
    """Run the command line; another context keeps what was typed out of other tests."""
    monkeypatch.setattr(sys, "argv", ["longdoc", *words])
    copy_context().run(main)


@pytest.mark.usefixtures("broken_reader")
def test_a_call_that_breaks_off_says_what_is_kept_and_the_call_that_goes_on(rows, tmp_path):
    with pytest.raises(RuntimeError, match="out of memory") as error:
        small_runs.run(rows, tmp_path / "run")
    folder = tmp_path / "run"
    assert error.value.__notes__ == [
        f"kept: 16 of 40 examples and 16 replies in {folder}; to continue: longdoc.run('qa', …, out='{folder}')"
    ]


def test_the_command_that_is_printed_goes_on_when_it_is_typed(rows, tmp_path, monkeypatch, capsys, broken_reader):
    command = ["run", "qa", "--data", str(rows), "--model", "extractive", "--metric", "f1", "--out", "my run"]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuntimeError) as error:
        type_command(monkeypatch, *command)
    (note,) = error.value.__notes__
    before, _, command_again = note.partition("to continue: ")
    assert before == "kept: 16 of 40 examples and 16 replies in my run; "
    assert shlex.split(command_again) == ["longdoc", *command]
    broken_reader()  # repairs it
    with pytest.raises(SystemExit) as exit_info:
        type_command(monkeypatch, *shlex.split(command_again)[1:])
    assert exit_info.value.code == 0
    assert "(16 of them finished earlier)" in capsys.readouterr().out


def test_a_run_that_has_nothing_yet_adds_no_note(rows, tmp_path, monkeypatch):
    def breaking(self, requests):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(Extractive, "reply", breaking)
    with pytest.raises(RuntimeError) as error:
        small_runs.run(rows, tmp_path / "run")
    assert not hasattr(error.value, "__notes__")


def test_an_ablation_that_is_interrupted_says_what_is_kept(rows, tmp_path, monkeypatch):
    reply, calls = Extractive.reply, []

    def interrupted(self, requests):
        calls.append(len(requests))
        if sum(calls) > 3 * 16:
            raise KeyboardInterrupt
        return reply(self, requests)

    grid = tmp_path / "grid"
    pipelines.ablate("qa", data=str(rows), model="extractive", metrics="f1", k=[1, 2], limit=1, out=grid)
    monkeypatch.setattr(Extractive, "reply", interrupted)
    with pytest.raises(KeyboardInterrupt) as error:
        pipelines.ablate("qa", data=str(rows), model="extractive", metrics="f1", k=[1, 2], out=grid, report=False)
    (note,) = error.value.__notes__
    assert note.startswith("kept: ")
    assert note.endswith(f" of 2 runs in {grid}; to continue: longdoc.ablate('qa', …, out='{grid}')")
    assert Path(grid / "ablation.json").is_file()
