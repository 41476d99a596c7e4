"""A finished run whose server cut a prompt unseen can be read, and its page says so."""

from pathlib import Path

import pytest

import pipelines
from pipelines.records import Document, Example
from tests.api_server import ApiServer, chat

WARNING = "the server read 600 of about"


def test_a_run_with_a_prompt_that_was_cut_unseen_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ApiServer(lambda request, times: chat("the mill", usage=(600, 2)))
    model = {"name": "openai", "model": "gpt-x", "base_url": server.url + "/v1", "max_retries": 0}
    data = [Example("a", Document("d", "The mill stands by the river. " * 600), "What stands?", ("the mill",))]
    result = pipelines.run("qa", data=data, model=model, out=tmp_path / "run", metrics=["f1"], chunker="whole")
    server.close()
    assert [prediction.prediction for prediction in result.predictions] == ["the mill"]
    assert any(WARNING in line for line in result.warnings)
    assert WARNING in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
