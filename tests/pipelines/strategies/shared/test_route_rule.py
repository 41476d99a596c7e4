"""Rules that decide what to read: what they know, what they decide, and their files."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc import checked_json
from longdoc.errors import UserError
from pipelines.strategies.shared.route_rule import (
    FEATURES,
    RETRIEVED_RULE,
    SELF_ROUTE,
    WHOLE_RULE,
    RouteRule,
    read_rule,
    route_features,
)  # fmt: skip

REFUSAL, ANSWER = "The log does not mention it.", "Three gulls."


def test_the_features_are_of_the_question_and_of_the_answer() -> None:
    features = route_features("How many gulls, and when?", "Gulls: 3\nin May")
    assert tuple(features) == FEATURES
    assert (features["refused"], features["how"], features["and"]) == (0.0, 1.0, 1.0)
    assert (features["answer_number"], features["question_number"]) == (1.0, 0.0)
    assert (features["question_in_answer"], features["answer_in_question"]) == (1 / 5, 1 / 4)
    assert set(route_features("", "").values()) == {0.0, 1.0}  # nothing refuses


def test_always_never_and_where_retrieval_refuses_are_rules_of_the_class() -> None:
    decisions = [[rule.decide("Who?", output) for output in (ANSWER, REFUSAL)]
                 for rule in (RETRIEVED_RULE, WHOLE_RULE, SELF_ROUTE)]  # fmt: skip
    assert decisions == [["stop", "refuse"], ["whole", "whole"], ["stop", "whole"]]


def test_a_rule_is_read_as_it_was_written(tmp_path: Path) -> None:
    rule = RouteRule("budget=0.3", {"refused": -1.5, "how": 2}, 0.25, 1.0, ("qa",), {"documents": 9})
    (tmp_path / "rule.json").write_text(checked_json.dumps(rule.to_dict()), encoding="utf-8")
    assert read_rule(tmp_path / "rule.json") == rule


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "has format 2, not 1: fit it again"),
        ({"weights": {"tokens": 1}}, "weighs 'tokens', which is no feature"),
        ({"weights": {"how": "much"}}, "is no rule .the field 'weights'"),
        ({"threshold": None}, "is no rule .the field 'threshold'"),
        ({"tasks": "qa"}, "is no rule .the field 'tasks'"),
        ({"threshold": float("nan")}, "is no rule .the field 'threshold'"),
    ],
)
def test_what_is_no_rule_or_of_another_version_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    (tmp_path / "rule.json").write_text(json.dumps(SELF_ROUTE.to_dict() | change), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_rule(tmp_path / "rule.json")


def test_a_file_that_is_missing_damaged_or_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    with pytest.raises(UserError, match="there is no rule"):
        read_rule(path)
    path.write_text(checked_json.dumps(SELF_ROUTE.to_dict()).replace("0.5", "0.6"), encoding="utf-8")
    with pytest.raises(UserError, match="damaged or edited"):
        read_rule(path)
    path.write_text(" " * 1_000_001, encoding="utf-8")
    with pytest.raises(UserError, match=r"is no rule \(it has over 1,000,000 bytes\)"):
        read_rule(path)
