"""The score of a judge's verdicts: the share right over the judged, and over all."""

import pytest

from pipelines.metrics import NotComputable
from pipelines.metrics.judged import Judged, row
from pipelines.records import Document, Example

ROWS = [row(True), row(True), row(False), row(None)]


def test_the_share_of_right_answers_is_over_the_judged_and_also_over_all() -> None:
    assert Judged("j", "own").aggregate(ROWS) == {
        "judged": 100 * 2 / 3, "judged_of_all": 50.0, "judged_coverage": 75.0,
    }  # fmt: skip


def test_the_share_of_the_judged_leaves_out_the_others() -> None:
    assert Judged("j", "own").left_out("judged", ROWS) == ["", "", "", "unjudged"]
    assert Judged("j", "own").left_out("judged_of_all", ROWS) == [""] * 4


def test_nothing_judged_has_no_score() -> None:
    assert Judged("j", "own").aggregate([row(None)]) == {}
    assert Judged("j", "own").aggregate([]) == {}


def test_the_mean_row_has_the_scores_of_the_rows() -> None:
    mean = {name: sum(one[name] for one in ROWS) / len(ROWS) for name in ROWS[0]}
    assert Judged("j", "own").aggregate([mean]) == pytest.approx(Judged("j", "own").aggregate(ROWS))


def test_only_judged_examples_have_a_row() -> None:
    metric = Judged("j", "own").with_verdicts({"a": row(True)})
    assert metric.has_row("a")
    assert not metric.has_row("b")
    assert metric.statistics("", Example("a", Document("", ""))) == row(True)
    assert metric == Judged("j", "own")


def test_the_signature_names_judge_and_prompt() -> None:
    assert Judged("openai:m 1a", "own 2b").signature == (
        "judged|judge:openai:m 1a|judge_prompt:own 2b|reply:yes or no, or true or false, or correct or incorrect|"
        "again:once|empty:wrong"
    )


def test_the_metric_by_name_says_what_to_type() -> None:
    with pytest.raises(NotComputable, match="set judge=MODEL"):
        Judged().prepare()
