"""How verdicts agree with scores: correlation, kappa, and the counts behind it."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.results import judge_record


def test_a_judge_that_says_nothing_is_given_room_to_think() -> None:
    first, _ = judge_record.lines(record(unjudged=2, asked_again=2, silent=2))
    assert first.endswith(
        "2 unjudged (neither yes nor no, twice), 2 with empty replies: a judge that thinks needs room, "
        "thinking=2048 among its fields"
    )
    assert judge_record.is_judge_record(record(silent=2))


def test_agreement_is_exact_on_a_table_that_was_worked_by_hand() -> None:
    verdicts = [True, True, True, False, False, None, True]
    scores: list[float | None] = [100.0, 80.0, 20.0, 0.0, 60.0, 100.0, None]
    agreement = judge_record.agreement(verdicts, scores)
    assert {name: agreement[name] for name in ("examples", *judge_record.CELLS)} == {
        "examples": 5, "both": 2, "judge_only": 1, "score_only": 1, "neither": 1,
    }  # fmt: skip
    assert agreement["kappa"] == pytest.approx((3 / 5 - 13 / 25) / (1 - 13 / 25))  # observed 3/5, by chance 13/25
    r = (200 / 3 - 30) / 1376**0.5 * 0.24**0.5  # the means, the spread, and the shares
    assert agreement["r"] == pytest.approx(r)


def test_undefined_agreement_is_none() -> None:
    assert judge_record.agreement([], []) == {
        "examples": 0, "r": None, "kappa": None, "both": 0, "judge_only": 0, "score_only": 0, "neither": 0,
    }  # fmt: skip
    assert judge_record.agreement([True, True], [100.0, 100.0])["kappa"] is None
    assert judge_record.agreement([True, False], [50.0, 50.0])["r"] is None


def record(**changes: Any) -> dict[str, Any]:
    fields = {"judge": "openai:m 1a", "prompt": "own 2b", "right": 2, "wrong": 1, "unjudged": 0, "asked_again": 0}
    usage = {"requests": 3, "tokens_in": 1200, "tokens_out": 3, "cost": None}
    return {**fields, "failures": {}, **usage, "agreement": {}, **changes}


def test_a_judge_record_is_two_lines() -> None:
    assert judge_record.lines({}) == []
    assert judge_record.lines(record()) == [
        "judge openai:m 1a, prompt own 2b: 2 of 3 judged right",
        "judge, beside the reader: 3 replies, 1,200 tokens in, 3 out",
    ]
    assert judge_record.lines(record(empty=3))[0].endswith("2 of 3 judged right, 3 empty, not judged: wrong")
    first, second = judge_record.lines(record(unjudged=1, asked_again=2, failures={"q1": "timeout"}, cost=0.5))
    assert first.endswith(
        "2 of 3 judged right, 2 asked once more, 1 unjudged (neither yes nor no, twice), 1 example failed "
        "(q1: timeout); run the same command again to ask for these alone"
    )
    assert second.endswith("3 out, cost 0.5")


def test_a_damaged_record_is_recognized(tmp_path: Path) -> None:
    assert judge_record.is_judge_record({})
    assert judge_record.is_judge_record(record(empty=1))
    assert not judge_record.is_judge_record(record(empty="one"))
    assert judge_record.is_judge_record(record(agreement={"f1": judge_record.agreement([True], [100.0])}))
    for damaged in (3, {"judge": "j"}, record(right="two"), record(failures=["q1"]), record(agreement={"f1": "high"})):
        assert not judge_record.is_judge_record(damaged)


def test_agreement_in_words_says_once_what_its_numbers_are() -> None:
    full_agreement = judge_record.agreement([True, False], [100.0, 0.0])
    lines = judge_record.agreement_lines(
        record(agreement={"f1": full_agreement, "rougeL": full_agreement, "empty": judge_record.agreement([], [])})
    )
    counts = "1 right by both, 0 by the judge alone, 0 by {} alone, 1 by neither"
    assert lines == [
        f"judge and f1: r 1.00, kappa 1.00, {counts.format('f1')} "
        "(r: point-biserial; kappa: Cohen's, a score of 50 or more being right)",
        f"judge and rougeL: r 1.00, kappa 1.00, {counts.format('rougeL')}",
    ]


def test_the_line_of_an_example_has_its_verdict_and_replies(tmp_path: Path) -> None:
    assert judge_record.verdict_line(tmp_path, "q1") == ""
    (tmp_path / judge_record.FILE).write_text(
        'damaged\n{"id": "q1", "verdict": "wrong", "replies": ["perhaps", "No."]}\n{"id": "q2"}\n'
    )
    assert judge_record.verdict_line(tmp_path, "q1") == 'wrong: "perhaps" then "No."'
    assert judge_record.verdict_line(tmp_path, "q3") == ""
    with (tmp_path / judge_record.FILE).open("ab") as file:
        file.write(b'\xff\n{"id": "q9", "verdict": "right", "replies": ["Yes."]}\n')
    assert judge_record.verdict_line(tmp_path, "q9") == 'right: "Yes."'
