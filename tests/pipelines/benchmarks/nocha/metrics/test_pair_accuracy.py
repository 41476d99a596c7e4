"""Claims in pairs: which outputs are answers, and which pairs count."""

import pytest

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.benchmarks.nocha.metrics.pair_accuracy import answer
from pipelines.records import Document, Example
from pipelines.statistics.bootstrap import intervals
from tests.turns import for_each


def rows(*claims: tuple[str, str, str]) -> list[metrics.Row]:
    """Rows of (pair, label, output)."""
    metric = metrics.get("pair_accuracy")
    return [
        metric.statistics(output, Example(f"{pair}-{label}", Document("", ""), "", (label,), meta={"pair": pair}))
        for pair, label, output in claims
    ]


def scores(*claims: tuple[str, str, str]) -> dict[str, float]:
    return metrics.get("pair_accuracy").aggregate(rows(*claims))


def test_the_first_reference_is_the_claim_s_label() -> None:
    claim = Example("e", Document("", ""), "", ("true ", "FALSE"))
    assert metrics.get("pair_accuracy").statistics("TRUE", claim)["claim_accuracy"] == 100


@for_each(
    ("output", "expected"),
    [
        ("<explanation>It is so.</explanation>\n <answer>TRUE</answer>", "TRUE"),
        ("<answer> False. </answer>", "FALSE"),
        ("<answer>**true**", "TRUE"),
        ("<answer>The statement is FALSE.</answer>", "FALSE"),
        ("<answer>This statement is FALSE.</answer>", "FALSE"),
        ("<answer>It is true.</answer>", "TRUE"),
        ("<explanation>That is true\nof Jo.</explanation>\nFALSE", "FALSE"),
        ("True.", "TRUE"),
        ("The above statement is false because nobody left.", "FALSE"),
        ("<answer>True</answer> <answer>false</answer>", None),
        ("<answer>YOUR ANSWER</answer> <answer>TRUE</answer>", "TRUE"),
        ("<answer>MAYBE</answer>", None),
        ("The statement is not true.", None),
        ("True or false? I cannot say.", None),
        ("It was true of Jo.", None),
        ("", None),
    ],
)
def test_an_answer_stands_in_its_tag_or_begins_the_output(output: str, expected: str | None) -> None:
    assert answer(output) == expected


def test_a_pair_is_right_if_both_of_its_claims_are() -> None:
    result = scores(("1", "TRUE", "TRUE"), ("1", "FALSE", "FALSE"), ("2", "TRUE", "TRUE"), ("2", "FALSE", "TRUE"))
    assert result == {
        "pair_accuracy": 50, "pair_accuracy_all": 50, "pair_coverage": 100, "claim_accuracy": 75, "unanswered": 0,
    }  # fmt: skip


def test_a_pair_with_one_answer_counts_among_all_pairs_and_its_claim_among_claims() -> None:
    result = scores(("1", "TRUE", "TRUE"), ("1", "FALSE", "FALSE"), ("2", "TRUE", "TRUE"), ("2", "FALSE", "SKIPPED"))
    assert result == {
        "pair_accuracy": 100, "pair_accuracy_all": 50, "pair_coverage": 50, "claim_accuracy": 100, "unanswered": 25,
    }  # fmt: skip


def test_where_no_pair_is_answered_there_is_no_pair_accuracy() -> None:
    assert scores(("1", "TRUE", ""), ("1", "FALSE", "")) == {
        "pair_accuracy_all": 0, "pair_coverage": 0, "unanswered": 100,
    }  # fmt: skip


def test_claims_without_a_pair_count_as_claims_only() -> None:
    assert metrics.get("pair_accuracy").score(["TRUE", "FALSE"], [["TRUE"], ["TRUE"]]) == {
        "claim_accuracy": 50, "unanswered": 0,
    }  # fmt: skip


def test_pairs_are_resampled_whole_also_within_one_book() -> None:
    all_rows = rows(*((str(pair), label, label) for pair in range(6) for label in ("TRUE", "FALSE")))
    all_rows += rows(*((str(pair), label, "TRUE") for pair in range(6, 12) for label in ("TRUE", "FALSE")))
    metric = metrics.get("pair_accuracy")
    in_books = intervals(metric, all_rows, [str(number // 2) for number in range(24)])
    assert in_books["pair_accuracy"].unit == "document"
    assert (in_books["pair_accuracy"].low, in_books["pair_accuracy"].high) == pytest.approx((16.67, 83.33), abs=0.01)
    in_one = intervals(metric, all_rows)["pair_accuracy"]
    assert 15 < in_one.low < 30
    assert 70 < in_one.high < 85


def test_a_reference_other_than_true_or_false_is_refused() -> None:
    with pytest.raises(UserError, match="example 0: the reference 'yes' must be TRUE or FALSE"):
        metrics.get("pair_accuracy").score(["TRUE"], [["yes"]])


def test_each_score_says_why_it_leaves_out_either_claim_of_a_pair() -> None:
    claims = rows(
        ("1", "TRUE", "TRUE"), ("1", "FALSE", "TRUE"), ("2", "TRUE", "TRUE"), ("2", "FALSE", "who knows"),
        ("3", "TRUE", "TRUE"),
    )  # fmt: skip
    left_out = metrics.get("pair_accuracy").left_out
    unpaired = "in pairs without both answers"
    assert left_out("pair_accuracy", claims) == ["", "", unpaired, unpaired, unpaired]
    assert left_out("claim_accuracy", claims) == ["", "", "", "neither TRUE nor FALSE", ""]
    assert left_out("pair_accuracy_all", claims) == [""] * 5
    first_line = metrics.get("first_line:pair_accuracy")
    assert first_line.left_out("pair_accuracy_first_line", claims) == left_out("pair_accuracy", claims)
