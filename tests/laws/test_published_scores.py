"""Every published score is of a task, a metric and a split of which it is known what is comparable with it."""

import json

import pytest

from pipelines import tasks
from pipelines.results.leaderboards.comparable import NOT_STATED_TEXT, difference_reason
from pipelines.results.leaderboards.published import FILES, PublishedRow, published
from pipelines.results.run_folders.run import Run
from pipelines.results.scores import Scores

ROWS = [row for name in FILES for row in published(name).rows if row.task in tasks.all_tasks()]
STATED = {(row.task, row.split): row for row in ROWS if row.split is not None}


def test_every_split_that_a_paper_states_has_a_count_and_files() -> None:
    assert len({task for task, _ in STATED}) == 53
    for task, split in STATED:
        info = tasks.get(task).dataset
        assert info.counts[split] > 0, (task, split)
        assert split in info.files, (task, split)


WITHOUT_SPLIT = {(row.task, row.metric): row for row in ROWS if row.split is None}


@pytest.mark.parametrize("row", WITHOUT_SPLIT.values(), ids=lambda row: f"{row.task} {row.metric}")
def test_a_row_without_a_split_is_never_comparable(row: PublishedRow, tmp_path) -> None:
    run = Run(tmp_path, row.task, "test", {}, Scores({row.metric: 1.0}), {}, ())
    assert difference_reason(run, row) == NOT_STATED_TEXT


def test_the_files_hold_numbers_between_0_and_100() -> None:
    for file in FILES.values():
        for table in json.loads(file.read_text(encoding="utf-8"))["tables"]:
            values = [value for row in table["rows"] for value in row[2:] if value is not None]
            assert min(values) >= 0 and max(values) <= 100
