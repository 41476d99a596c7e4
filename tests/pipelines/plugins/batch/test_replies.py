"""Files of replies: a remark names the lines that cannot be read."""

import json
from pathlib import Path

from pipelines.plugins.batch.replies import Replies


def test_only_the_last_line_of_a_file_is_reported_as_cut_off(tmp_path: Path) -> None:
    reply = json.dumps({"custom_id": "a", "response": {"status_code": 200, "body": {"choices": []}}})
    file = tmp_path / "replies-001.jsonl"
    file.write_text(f'{reply}\n"no reply"\n{reply[:20]}', encoding="utf-8")
    replies = Replies([file], ["a"])
    assert replies.remarks == [f"{file}: line 3 is cut off, and 1 other line cannot be read: left out"]
    assert replies["a"] is not None
