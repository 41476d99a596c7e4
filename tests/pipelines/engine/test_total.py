"""The number of examples of a run, from which the time left is computed."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.engine.planning.plan import make_plan
from pipelines.engine.running.execute import total
from tests.pipelines.results.reports import small_runs


@pytest.mark.parametrize(
    ("arguments", "count"),
    [({}, 12), ({"limit": 5}, 5), ({"limit": 100}, 12), ({"sample": 3}, 3), ({"sample": 50}, 12)],
)
def test_the_total_is_never_more_than_the_data_hold(tmp_path: Path, arguments: dict[str, Any], count: int) -> None:
    rows = small_runs.write_rows(tmp_path / "rows.jsonl")
    assert total(make_plan("qa", data=str(rows), model="extractive", **arguments)) == count
