"""BABILong's files of predictions, in their published layout."""

from pathlib import Path

import pytest

import pipelines
from benchmarks.published import BABILONG
from longdoc.errors import UserError

COUNTS = [
    (model, task, length, right)
    for model, tasks in BABILONG.items()
    for task, lengths in tasks.items()
    for length, right in lengths.items()
]


@pytest.mark.parametrize(("model", "task", "length", "count"), COUNTS)
def test_as_many_published_outputs_are_right_as_by_the_published_code(
    model: str, task: str, length: str, count: int, realdata: Path
) -> None:
    (file,) = (realdata / "babilong" / "predictions").glob(f"*/{model}/{task}_{length}_*.csv")
    scores = pipelines.score_predictions("babilong", file)
    right = sum(one.statistics["babilong_accuracy"]["babilong_accuracy"] == 100 for one in scores.predictions)
    assert right == count
    assert (scores.system, scores.warnings) == (model, ())


def test_the_name_of_the_file_gives_the_task(tmp_path: Path) -> None:
    rows = ",target,output,question\n0,yes,Yes. No.,Is Anna in the hall? \n1,maybe,maybe,Is Bill there? \n"
    (tmp_path / "qa10_4k.csv").write_text(rows)
    scores = pipelines.score_predictions("babilong", tmp_path / "qa10_4k.csv")
    assert scores.scores == {"babilong_accuracy": 100.0}
    (tmp_path / "outputs.csv").write_text(rows)
    with pytest.raises(UserError, match=r"outputs.csv:2: qa6, qa9 and qa10 answer yes or no.*a name with it \(qa6"):
        pipelines.score_predictions("babilong", tmp_path / "outputs.csv")


def test_a_row_without_a_target_is_refused(tmp_path: Path) -> None:
    (tmp_path / "qa1.csv").write_text(",target,output,question\n0,,kitchen,Where?\n")
    with pytest.raises(UserError, match=r"qa1.csv:2: the row needs a target; found , target, output, question"):
        pipelines.score_predictions("babilong", tmp_path / "qa1.csv")
