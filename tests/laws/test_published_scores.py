"""Published scores have a task, a metric and a split, so that it is known which runs are comparable."""

import functools
import json
from collections.abc import Iterable

from pipelines import tasks
from pipelines.results.leaderboards.comparable import SPLIT_NOT_STATED, difference_reason
from pipelines.results.leaderboards.published import FILES, PublishedRow, published
from pipelines.results.run_folders.run import Run
from pipelines.results.scores import Scores
from tests.turns import for_each


@functools.cache
def rows() -> list[PublishedRow]:
    """The published scores of existing tasks; reading them takes seconds, so only these tests do."""
    return [row for name in FILES for row in published(name).rows if row.task in tasks.all_tasks()]


def without_split() -> Iterable[PublishedRow]:
    """One published score without a split for each task and metric."""
    return {(row.task, row.metric): row for row in rows() if row.split is None}.values()


def test_every_split_that_a_paper_states_has_a_count_and_files() -> None:
    stated = {(row.task, row.split) for row in rows() if row.split is not None}
    assert len({task for task, _ in stated}) == 53
    for task, split in stated:
        info = tasks.get(task).dataset
        assert info.counts[split] > 0, (task, split)
        assert split in info.files, (task, split)


@for_each("row", without_split)
def test_a_row_without_a_split_is_never_comparable(row: PublishedRow, tmp_path) -> None:
    run = Run(tmp_path, row.task, "test", {}, Scores({row.metric: 1.0}), {}, ())
    assert difference_reason(run, row) == SPLIT_NOT_STATED


def test_published_scores_are_between_0_and_100() -> None:
    for file in FILES.values():
        for table in json.loads(file.read_text(encoding="utf-8"))["tables"]:
            values = [value for row in table["rows"] for value in row[2:] if value is not None]
            assert min(values) >= 0 and max(values) <= 100
