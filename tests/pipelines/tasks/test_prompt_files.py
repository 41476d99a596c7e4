"""Benchmarks' own files of prompts that are Python: read from their syntax, never run."""

from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines.tasks.prompt_files import _python_groups


def test_a_python_file_is_read_and_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    text = f"open({str(mark)!r}, 'w')\nPROMPTS = {{'a': 'Read ' + 'this.', 'b': __import__('os').getcwd(), **{{}}}}\n"
    assert _python_groups(text, tmp_path / "prompt.py") == {"PROMPTS": {"a": "Read this."}}
    assert not mark.exists()


def test_a_python_file_that_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"prompt.py cannot be read as Python"):
        _python_groups("PROMPTS = " + "(" * 5_000, tmp_path / "prompt.py")
