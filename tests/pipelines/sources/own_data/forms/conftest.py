"""Rows in a file, read as a task reads them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pipelines import sources, tasks
from pipelines.records import Example

Rows = Callable[..., list[Example]]


@pytest.fixture
def read(tmp_path: Path) -> Rows:
    """Rows written to `rows.jsonl` and read by a task."""

    def examples(*rows: Mapping[str, Any], task: str = "qa") -> list[Example]:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return list(sources.load(task, tasks.get(task).dataset, path).examples())

    return examples
