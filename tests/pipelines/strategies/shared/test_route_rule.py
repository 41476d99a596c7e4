"""Rules that decide what to read: what they know, what they decide, and their files."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc import checked_json
from longdoc.errors import UserError
from pipelines.strategies.shared.route_rule import (
    FEATURES,
    MORE_RULE,
    RETRIEVED_RULE,
    RETRIEVER_FEATURES,
    SELF_ROUTE,
    WHOLE_RULE,
    Gain,
    RouteRule,
    read_rule,
    route_features,
)  # fmt: skip

GAIN = {"weights": {}, "intercept": 0.0, "cost": 1.0}
REFUSAL, ANSWER = "The log does not mention it.", "Three gulls."


def test_the_features_are_of_the_question_and_of_the_answer() -> None:
    features = route_features("How many gulls, and when?", "Gulls: 3\nin May")
    assert tuple(features) == FEATURES
    assert (features["refused"], features["how"], features["and"]) == (0.0, 1.0, 1.0)
    assert (features["answer_number"], features["question_number"]) == (1.0, 0.0)
    assert (features["question_in_answer"], features["answer_in_question"]) == (1 / 5, 1 / 4)
    assert set(route_features("", "").values()) == {0.0, 1.0}  # nothing refuses


@pytest.mark.parametrize(
    ("scores", "values"),
    [
        ((2.0, 8.0, 6.0), (8.0, 0.25, 0.75)),
        ((-4.0, -2.0), (-2.0, 1.0, 1.0)),
        ((3.0,), (3.0, 0.0, 0.0)),
        ((), (0.0, 0.0, 0.0)),
        ((1.0, float("-inf")), (0.0, 0.0, 0.0)),
    ],
)
def test_the_scores_of_passages_are_features(scores: tuple[float, ...], values: tuple[float, ...]) -> None:
    features = route_features("Who?", ANSWER, scores)
    assert tuple(features[name] for name in ("best_score", "score_gap", "score_decline")) == values


@pytest.mark.parametrize(
    ("selection", "values"),
    [
        ({"agreement": 0.25, "expected_evidence": 1.0}, (0.25, 1.0)),
        ({"expected_evidence": 0.5}, (0.0, 0.5)),
        ({"agreement": float("nan"), "expected_evidence": float("inf")}, (0.0, 0.0)),
        ({}, (0.0, 0.0)),
    ],
)
def test_what_is_known_of_the_selection_are_features(selection: dict[str, float], values: tuple[float, float]) -> None:
    features = route_features("Who?", ANSWER, (), selection)
    assert tuple(features[name] for name in ("agreement", "expected_evidence")) == values
    rule = RouteRule("r", {"whole": Gain({"expected_evidence": -1.0}, 0.75)})
    assert rule.decide("Who?", ANSWER, (), selection) == ("stop" if values[1] == 1 else "whole")


def test_what_gains_most_beyond_its_cost_is_read() -> None:
    readings = {"more": Gain({"hedged": 10.0}, 5.0, 0.25), "whole": Gain({"hedged": 20.0}, 4.0, 1.0)}
    decisions = {}
    for threshold in (0.0, 10.0, 15.0, 50.0, 100.0):
        rule = RouteRule("r", readings, threshold)
        decisions[threshold] = [rule.decide("Who?", output) for output in (ANSWER, "However, gulls.", REFUSAL)]
    assert decisions == {
        0.0: ["more", "whole", "whole"],  # a refusal hedges: it says "not"
        10.0: ["more", "whole", "whole"],
        15.0: ["more", "more", "more"],
        50.0: ["stop", "more", "more"],
        100.0: ["stop", "stop", "refuse"],
    }


def test_always_never_and_where_retrieval_refuses_are_rules_of_the_class() -> None:
    decisions = [[rule.decide("Who?", output) for output in (ANSWER, REFUSAL)]
                 for rule in (RETRIEVED_RULE, MORE_RULE, WHOLE_RULE, SELF_ROUTE)]  # fmt: skip
    assert decisions == [["stop", "refuse"], ["more", "more"], ["whole", "whole"], ["stop", "whole"]]


def test_a_rule_weighs_the_features_that_have_a_weight_in_one_of_its_readings() -> None:
    rule = RouteRule("r", {"more": Gain({"how": 0.0}), "whole": Gain({"how": 0.0, "best_score": -2.0})})
    assert [rule.weighs(names) for names in (("how",), ("score_gap",), RETRIEVER_FEATURES)] == [False, False, True]


def test_a_rule_is_read_as_it_was_written(tmp_path: Path) -> None:
    readings = {"more": Gain({"refused": -1.5, "how": 2}, 0.25, 0.5), "whole": Gain(intercept=1.0)}
    rule = RouteRule(
        "budget=0.3", readings, 1.0, ("qa",), ("extractive",), ({"name": "bm25"},), {"documents": 9}, {"name": "tfidf"}
    )
    (tmp_path / "rule.json").write_text(checked_json.dumps(rule.to_dict()), encoding="utf-8")
    assert read_rule(tmp_path / "rule.json") == rule


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "has format 2, not 3: fit it again"),
        ({"retrievers": ["bm25"]}, "is no rule .the field 'retrievers'"),
        ({"retrievers": [{"k1": 1.2}]}, "is no rule .the field 'retrievers'"),
        ({"second": "bm25"}, "is no rule .the field 'second'"),
        ({"readings": {"whole": GAIN | {"weights": {"tokens": 1}}}}, "weighs 'tokens', which is no feature"),
        ({"readings": {"whole": GAIN | {"weights": {"how": "much"}}}}, "is no rule .the field 'weights'"),
        ({"readings": {"whole": GAIN | {"cost": 0}}}, "is no rule .the field 'cost'"),
        ({"readings": {"whole": {"weights": {}}}}, "is no rule .no field 'intercept'"),
        ({"readings": {"half": GAIN}}, "reads 'half', which is no reading"),
        ({"readings": ["whole"]}, "is no rule .the field 'readings'"),
        ({"readers": "extractive"}, "is no rule .the field 'readers'"),
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
