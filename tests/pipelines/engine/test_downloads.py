"""What `longdoc data fetch` brings into the hub's cache."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import pipelines
from models import hub


def test_each_model_and_file_of_a_task_is_named_with_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    def file(repository: str, name: str, revision: str | None) -> SimpleNamespace:
        return SimpleNamespace(path=Path(f"/cache/{revision}/{name}"))

    monkeypatch.setattr(hub, "folder", lambda model, revision: SimpleNamespace(path=Path(f"/cache/{model}")))
    monkeypatch.setattr(hub, "file", file)
    paths = pipelines.fetch("google-t5/t5-small", "narrativeqa", split="validation", revision="v1")
    assert paths.pop("google-t5/t5-small") == "/cache/google-t5/t5-small"
    assert paths
    for name, path in paths.items():
        task, _, rest = name.partition("/")
        assert (task, path) == ("narrativeqa", f"/cache/v1/{rest}")
