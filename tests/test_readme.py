"""The README's Python runs and its commands are accepted by the command line."""

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


def test_components_of_every_kind_have_an_example():
    assert len(BLOCKS) == 6
    assert all(any(text in block for block in BLOCKS) for text in ("def split", "def index", "def reply", "Task("))


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_parses(line):
    documents.parse(line)
