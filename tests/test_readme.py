"""The README is true: its Python runs, its commands exist."""

import re

import pytest

from tests import documents

TEXT = (documents.ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = [fence.text for fence in documents.fences(TEXT) if fence.language == "python"]
COMMANDS = documents.indented_commands(TEXT)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_python_example_runs(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out.strip()


def test_there_are_examples_of_every_kind_of_component():
    assert len(BLOCKS) == 6
    assert all(any(word in block for block in BLOCKS) for word in ("def split", "def index", "def reply", "Task("))


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_parses(line):
    documents.parse(line)


def test_no_placeholder_is_left():
    assert not re.search(r"^(DEMO_OUTPUT|RESULTS_\w+)$|RESULTS_RANKING", TEXT, flags=re.MULTILINE)
