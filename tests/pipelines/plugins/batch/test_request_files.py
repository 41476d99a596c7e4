"""Files of batch requests: their sizes, and what the limits of a provider make of them."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from pipelines.plugins.batch.formats import AnthropicFormat, Format, OpenaiFormat
from pipelines.plugins.batch.request_files import RequestWriter


@pytest.mark.parametrize("form", [OpenaiFormat(), AnthropicFormat()])
def test_the_size_that_is_told_is_that_of_the_file(tmp_path: Path, form: Format) -> None:
    writer = RequestWriter(tmp_path, form, "m", "http://127.0.0.1")
    for number in range(5):
        writer.add(1, f"id-{number}", {"prompt": "é" * number}, None)
    writer.finish()
    (file,) = writer.files
    assert (file.requests, file.size) == (5, file.path.stat().st_size)


@dataclass(frozen=True)
class Small(OpenaiFormat):
    """Files of 200 bytes."""

    most_bytes: int = 200


def test_no_file_is_over_the_limit_of_bytes(tmp_path: Path) -> None:
    writer = RequestWriter(tmp_path, Small(), "m", "http://127.0.0.1")
    begun = 0
    for number in range(7):
        begun += writer.add(begun + 1, f"{number}", {}, None)
    writer.finish()
    assert [one.requests for one in writer.files] == [2, 2, 2, 1]
    assert all(one.path.stat().st_size == one.size <= 200 for one in writer.files)
