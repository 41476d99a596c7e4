"""A folder of batch files: a request is sent once, and fails in the end when no reply comes."""

import json
from pathlib import Path

from pipelines.plugins.batch.batch_folder import BatchFolder

ASKER = ("openai", "m", "http://127.0.0.1:9/v1")
FIRST_ID, SECOND_ID = "a" * 40, "b" * 40


def ask_for(folder: Path, *ids: str) -> tuple[BatchFolder, list[int]]:
    """Ask for requests at a cost of 0.5 each: the folder, and the sizes of the files that wait for replies."""
    batch = BatchFolder(folder)
    for id in ids:
        batch.ask(id, {"model": "m"}, ASKER, lambda: 0.5)
    waiting = [number for _, number in batch.finish()]
    batch.close()
    return batch, waiting


def test_a_repeated_request_is_sent_and_waited_for_once(tmp_path: Path) -> None:
    _, waiting = ask_for(tmp_path, FIRST_ID, SECOND_ID, FIRST_ID)
    assert waiting == [2]
    batch, waiting = ask_for(tmp_path, FIRST_ID, FIRST_ID)
    assert (waiting, dict(batch.committed)) == ([1], {ASKER: 0.5})


def test_a_request_without_a_reply_fails_when_no_retry_is_left(tmp_path: Path) -> None:
    ask_for(tmp_path, FIRST_ID, SECOND_ID)
    reply = {"custom_id": SECOND_ID, "response": {"status_code": 200, "body": {"choices": []}}, "error": None}
    (tmp_path / "replies-001.jsonl").write_text(json.dumps(reply) + "\n", encoding="utf-8")
    batch, _ = ask_for(tmp_path)
    assert batch.outcome(FIRST_ID, retries=1) is None
    assert batch.again == {FIRST_ID: "the replies have no line for it"}
    outcome = batch.outcome(FIRST_ID, retries=0)
    assert outcome is not None
    assert outcome.problem == batch.failed[FIRST_ID] == "HTTP 504: no reply in 1 batch files"
