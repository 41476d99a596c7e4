"""A folder of batch files: what is asked for once, and what a request without a reply has in the end."""

import json
from pathlib import Path

from pipelines.plugins.batch.batch_folder import BatchFolder

ASKER = ("openai", "m", "http://127.0.0.1:9/v1")
ASKED, OTHER = "a" * 40, "b" * 40


def opened(folder: Path, *ids: str) -> tuple[BatchFolder, list[int]]:
    """The folder, asked for these requests at a cost of 0.5 each, and the sizes of the files that wait for replies."""
    batch = BatchFolder(folder)
    for id in ids:
        batch.ask(id, {"model": "m"}, ASKER, lambda: 0.5)
    waiting = [number for _, number in batch.finish()]
    batch.close()
    return batch, waiting


def test_a_request_is_asked_for_and_waited_for_once_however_many_ask(tmp_path: Path) -> None:
    _, waiting = opened(tmp_path, ASKED, OTHER, ASKED)
    assert waiting == [2]
    again, waiting = opened(tmp_path, ASKED, ASKED)
    assert (waiting, dict(again.committed)) == ([1], {ASKER: 0.5})


def test_a_request_that_no_reply_came_to_has_failed_when_it_may_not_be_asked_again(tmp_path: Path) -> None:
    opened(tmp_path, ASKED, OTHER)
    reply = {"custom_id": OTHER, "response": {"status_code": 200, "body": {"choices": []}}, "error": None}
    (tmp_path / "replies-001.jsonl").write_text(json.dumps(reply) + "\n", encoding="utf-8")
    batch, _ = opened(tmp_path)
    assert batch.outcome(ASKED, retries=1) is None
    assert batch.again == {ASKED: "the replies have no line for it"}
    lost = batch.outcome(ASKED, retries=0)
    assert lost is not None
    assert lost.problem == batch.failed[ASKED] == "HTTP 504: no reply in 1 batch files"
