"""The batch engine by itself."""

from pathlib import Path

import pytest

import models
from pipelines.plugins.batch.batch_folder import BatchFolder
from pipelines.plugins.batch.engines.batch import Batch, _failures


def test_two_engines_of_a_folder_are_equal_even_when_one_is_in_use(
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


def test_unanswered_requests_are_counted_by_reason_with_three_shortened_ids(tmp_path: Path) -> None:
    folder = BatchFolder(tmp_path)
    folder.again = {f"{number}123456789abcdef-rest": "HTTP 500: busy" for number in range(4)}
    folder.failed = {"f" * 40: "HTTP 400: too long"}
    folder.close()
    assert list(_failures(folder)) == [
        "4 requests asked again in the next file: HTTP 500: busy "
        "(custom_id 0123456789abcdef…, 1123456789abcdef…, 2123456789abcdef… and 1 more)",
        "1 request failed for good: HTTP 400: too long (custom_id ffffffffffffffff…)",
    ]
