"""Requests that need more than one call, and the price of batches."""

import json
from pathlib import Path

import pytest

import models
from longdoc.errors import UserError
from models.requests import Generate
from pipelines.engine import engines
from pipelines.plugins.batch.batch_folder import BatchFolder
from pipelines.plugins.batch.reader import BatchReader
from tests.api_server import chat, message, text_block
from tests.batch_server import BatchServer

KEY = "0123456789abcdef" * 4


def ask(reader: models.Reader, folder: Path, request: Generate) -> tuple[object, list[str]]:
    """The value of the reply, and the ids in the next file."""
    batch_folder = BatchFolder(folder)
    try:
        ((_, reply),) = BatchReader(reader, {}, batch_folder).stream_by_key([KEY], [request], lambda place, reply: None)
        files = [file for file, _ in batch_folder.finish()]
    finally:
        batch_folder.close()
    return reply.value, [id for file in files for id in file.ids()]


def test_outputs_missing_from_a_reply_are_asked_for_under_new_ids(tmp_path: Path) -> None:
    reader = models.get("openai:m,base_url=http://127.0.0.1:9/v1")
    server = BatchServer(lambda request, times: chat(*["first", "second"][: request.body.get("n", 1)]))
    assert ask(reader, tmp_path, Generate("hello", 5, n=3)) == (None, [KEY])
    server.answer(tmp_path / "requests-001.jsonl")
    value, ids = ask(reader, tmp_path, Generate("hello", 5, n=3))
    assert value is None
    assert len(ids) == 1
    assert ids[0].startswith(f"{KEY[:40]}-")
    server.answer(tmp_path / "requests-002.jsonl")
    assert ask(reader, tmp_path, Generate("hello", 5, n=3)) == (("first", "second", "first"), [])


def test_an_api_with_one_output_per_request_gets_all_requests_in_one_file(tmp_path: Path) -> None:
    reader = models.get("anthropic:m,base_url=http://127.0.0.1:9")
    _, ids = ask(reader, tmp_path, Generate("hello", 5, n=3))
    assert len(set(ids)) == 3
    BatchServer(lambda request, times: message(text_block("word"))).answer(tmp_path / "requests-001.json")
    assert ask(reader, tmp_path, Generate("hello", 5, n=3)) == (("word", "word", "word"), [])


def test_a_request_has_the_fields_of_the_reader(tmp_path: Path) -> None:
    reader = models.get(
        'openai:m,base_url=http://127.0.0.1:9/v1,system=Short.,temperature=0.5,extra={"seed": 7, "logprobs": true}'
    )
    ask(reader, tmp_path, Generate("hällo", 5, ("\n",), 2))
    (line,) = (tmp_path / "requests-001.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["body"] == {
        "model": "m",
        "messages": [{"role": "system", "content": "Short."}, {"role": "user", "content": "hällo"}],
        "max_tokens": 5,
        "temperature": 0.5,
        "stop": ["\n"],
        "n": 2,
        "seed": 7,
        "logprobs": True,
    }


def test_providers_bill_half_for_batches_and_other_servers_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    share = engines.get("batch:files").batch_share
    assert [share(models.get(one)) for one in ("openai:m", "anthropic:m")] == [0.5, 0.5]
    assert share(models.get("openai:m,base_url=http://127.0.0.1:9/v1")) == 1.0
    assert engines.get("batch:files,price=0.4").batch_share(models.get("openai:m")) == 0.4
    with pytest.raises(UserError, match=r"^batch: price is the share that batches cost, from 0 to 1"):
        engines.get("batch:files,price=50")


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    batch_folder = BatchFolder(tmp_path)
    try:
        with pytest.raises(UserError, match=r"^another process uses the batch files in "):
            BatchFolder(tmp_path)
    finally:
        batch_folder.close()
