"""Rules that decide, from a retrieved answer, whether to read the whole document as well.

    score = intercept + Σ weight · feature
    whole where score > threshold; else refuse where the retrieved answer refuses, else stop with it

The features are known before the second request: the question, and the form of the answer. "The whole document where
retrieval refuses" (Self-Route: Li et al. 2024, "Retrieval Augmented Generation or Long-Context LLMs?") is a rule of
this class, and so are always and never.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, log1p
from pathlib import Path
from typing import Any, Literal

from longdoc import checked_json, plain_json, record_checks
from longdoc.errors import UserError
from longdoc.folders import expanded
from models.refusals import refuses

Decision = Literal["stop", "whole", "refuse"]

FORMAT = 1
MOST_BYTES = 1_000_000
FEATURES = (
    "refused", "answer_words", "question_words", "word_ratio", "answer_number", "question_number", "question_in_answer",
    "answer_in_question", "how", "and", "hedged", "answer_lines",
)  # fmt: skip

_WORD = re.compile(r"\w+")
_HEDGE = re.compile(r"\b(?:however|based on|not|no)\b", re.IGNORECASE)


def route_features(query: str, output: str) -> dict[str, float]:
    """What is known of a question and its retrieved answer, by `FEATURES`.

    Whether it refuses; the logarithms of 1 + the words of both, and their difference; whether they have digits; the
    shares of each one's distinct words that are in the other; whether the question has the words "how" and "and";
    whether the answer hedges; the logarithm of 1 + its line ends.
    """
    question, answer = ([word.lower() for word in _WORD.findall(text)] for text in (query, output))
    common = len({*question} & {*answer})
    values = (
        refuses(output), log1p(len(answer)), log1p(len(question)), log1p(len(answer)) - log1p(len(question)),
        any(map(str.isdigit, output)), any(map(str.isdigit, query)), common / max(len({*question}), 1),
        common / max(len({*answer}), 1), "how" in question, "and" in question, _HEDGE.search(output) is not None,
        log1p(output.count("\n")),
    )  # fmt: skip
    return dict(zip(FEATURES, map(float, values), strict=True))


@dataclass(frozen=True, slots=True)
class RouteRule:
    """A rule: its `name` ("budget=0.3", "risk=0.05", "self_route" …), weights, intercept and threshold.

    `tasks` are those that it was fitted on, and `calibration` says on how much, and what is promised; both are empty
    for rules that are not fitted.
    """

    name: str
    weights: Mapping[str, float] = field(default_factory=dict)
    intercept: float = 0.0
    threshold: float = 0.0
    tasks: tuple[str, ...] = ()
    calibration: Mapping[str, Any] = field(default_factory=dict)

    def score(self, features: Mapping[str, float]) -> float:
        """What reading the whole document is worth by the rule; points, where it was fitted."""
        return self.intercept + sum(weight * features[name] for name, weight in self.weights.items())

    def decide(self, query: str, output: str) -> Decision:
        """What to do after a retrieved answer."""
        features = route_features(query, output)
        if self.score(features) > self.threshold:
            return "whole"
        return "refuse" if features["refused"] else "stop"

    def to_dict(self) -> dict[str, Any]:
        """The content of its file."""
        return {
            "format": FORMAT,
            "rule": self.name,
            "weights": dict(self.weights),
            "intercept": self.intercept,
            "threshold": self.threshold,
            "tasks": list(self.tasks),
            "calibration": dict(self.calibration),
        }


RETRIEVED_RULE = RouteRule("retrieved", intercept=-1.0)
WHOLE_RULE = RouteRule("whole", intercept=1.0)
SELF_ROUTE = RouteRule("self_route", weights={"refused": 1.0}, threshold=0.5)
FIXED_RULES = {rule.name: rule for rule in (RETRIEVED_RULE, WHOLE_RULE, SELF_ROUTE)}


def _is_finite(value: Any) -> bool:
    return record_checks.number(value) and isfinite(value)


_TESTS = {
    "format": record_checks.count,
    "rule": record_checks.text,
    "weights": record_checks.mapping(_is_finite),
    "intercept": _is_finite,
    "threshold": _is_finite,
    "tasks": record_checks.each_item(record_checks.text),
    "calibration": record_checks.mapping(lambda value: True),
}


def rule_of(value: str | Mapping[str, Any] | RouteRule) -> RouteRule:
    """A rule by its name, file or record. Raises `UserError`."""
    if isinstance(value, RouteRule):
        return value
    if isinstance(value, Mapping):
        return _checked_rule(value, "the rule")
    return FIXED_RULES[value] if value in FIXED_RULES else read_rule(value)


def read_rule(path: str | Path) -> RouteRule:
    """The rule of a JSON file. Raises `UserError` for what is none, and for one of another version."""
    file = expanded(path)
    if not file.is_file():
        raise UserError(
            f"there is no rule {path}: longdoc analyze route-rule makes one, or give {', '.join(FIXED_RULES)}"
        )
    try:
        plain_json.check_size(file, MOST_BYTES)
        record = checked_json.load(file)
    except ValueError as error:
        raise UserError(f"{path} is no rule ({error}): longdoc analyze route-rule writes one") from None
    return _checked_rule(record, str(path))


def _checked_rule(record: Mapping[str, Any], place: str) -> RouteRule:
    if "format" in record and record["format"] != FORMAT:
        raise UserError(f"{place} has format {record['format']!r}, not {FORMAT}: fit it again with this version")
    try:
        record_checks.check(record, _TESTS)
    except ValueError as error:
        raise UserError(f"{place} is no rule ({error}): longdoc analyze route-rule writes one") from None
    if wrong_names := sorted({*record["weights"]} - {*FEATURES}):
        raise UserError(f"{place} weighs {wrong_names[0]!r}, which is no feature: fit it again with this version")
    return RouteRule(
        record["rule"], record["weights"], float(record["intercept"]), float(record["threshold"]),
        tuple(record["tasks"]), record["calibration"],
    )  # fmt: skip
