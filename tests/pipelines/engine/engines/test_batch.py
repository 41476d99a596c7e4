"""The engine of batch files by itself."""

from pathlib import Path

import pytest

import models
from pipelines.engine.engines.batch import Batch


def test_two_engines_of_a_folder_are_equal_whatever_they_have_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    used, other = Batch(str(tmp_path)), Batch(str(tmp_path))
    reader = models.get("openai:gpt-x,base_url=http://127.0.0.1:9/v1,window=100")
    with used:
        assert used.answering(reader) is used.answering(reader)
        assert used == other
        assert hash(used) == hash(other)
    assert repr(used) == f"Batch(folder={str(tmp_path)!r}, price=None, workers=2)"
