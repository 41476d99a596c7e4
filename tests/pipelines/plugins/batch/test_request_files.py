"""Files of batch requests: their sizes, and how a provider's limits split them."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from pipelines.plugins.batch.formats import AnthropicFormat, Format, OpenaiFormat
from pipelines.plugins.batch.request_files import RequestWriter


@pytest.mark.parametrize("form", [OpenaiFormat(), AnthropicFormat()])
def test_the_reported_size_is_that_of_the_file(tmp_path: Path, form: Format) -> None:
    writer = RequestWriter(tmp_path, form, "m", "http://127.0.0.1")
    for number in range(5):
        writer.add(1, f"id-{number}", {"prompt": "é" * number}, None)
    writer.finish()
    (file,) = writer.files
    assert (file.requests, file.size) == (5, file.path.stat().st_size)


@dataclass(frozen=True)
class SmallFiles(OpenaiFormat):
    """Files of 200 bytes."""

    most_bytes: int = 200


def test_no_file_is_over_the_limit_of_bytes(tmp_path: Path) -> None:
    writer = RequestWriter(tmp_path, SmallFiles(), "m", "http://127.0.0.1")
    file_count = 0
    for number in range(7):
        file_count += writer.add(file_count + 1, f"{number}", {}, None)
    writer.finish()
    assert [one.requests for one in writer.files] == [2, 2, 2, 1]
    assert all(one.path.stat().st_size == one.size <= 200 for one in writer.files)
