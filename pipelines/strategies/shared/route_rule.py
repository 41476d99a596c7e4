"""Rules that decide, from a retrieved answer, whether to read on: more passages, or the whole document.

    gain of a reading = intercept + Σ weight · feature
    read the one with the highest gain - threshold · cost, if that is above 0;
    else refuse where the retrieved answer refuses, else stop with it

The cost of the whole document is 1, that of more passages their share of its tokens. The features are known before the
second request: the question, the form of the answer, the scores of the passages. "The whole document where
retrieval refuses" (Self-Route: Li et al. 2024, "Retrieval Augmented Generation or Long-Context LLMs?") is a rule of
this class, and so are always and never.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, log1p
from pathlib import Path
from typing import Any, Literal

from longdoc import checked_json, plain_json, record_checks
from longdoc.errors import UserError
from longdoc.file_values import marked_with_file
from longdoc.folders import expanded
from longdoc.plain_values import plain_fields
from models.refusals import refuses

ReadingOn = Literal["more", "whole"]
Decision = Literal["stop", "more", "whole", "refuse"]

FORMAT = 3
READINGS: tuple[ReadingOn, ...] = ("more", "whole")
MOST_BYTES = 1_000_000
FEATURES = (
    "refused", "answer_words", "question_words", "word_ratio", "answer_number", "question_number", "question_in_answer",
    "answer_in_question", "how", "and", "hedged", "answer_lines", "best_score", "score_gap", "score_decline",
    "agreement", "expected_evidence",
)  # fmt: skip
AGREEMENT, EXPECTED_EVIDENCE = SELECTION_FEATURES = FEATURES[-2:]  # which are known where a run asks for them
RETRIEVER_FEATURES = FEATURES[-5:]  # whose scale is that of the retriever's scores

_WORD = re.compile(r"\w+")
_HEDGE = re.compile(r"\b(?:however|based on|not|no)\b", re.IGNORECASE)


def route_features(
    query: str, output: str, scores: Sequence[float] = (), selection: Mapping[str, float] | None = None
) -> dict[str, float]:
    """What is known of a question and its retrieved answer, by `FEATURES`.

    Whether it refuses; the logarithms of 1 + the words of both, and their difference; whether they have digits; the
    shares of each one's distinct words that are in the other; whether the question has the words "how" and "and";
    whether the answer hedges; the logarithm of 1 + its line ends; the best of the retriever's `scores` of the selected
    passages, in any order, and how far the second and the last are below it, as shares of it; and of `selection`, 0–1,
    the agreement with a second retriever's, and the share of the document's expected evidence. What is not known, or
    not finite, counts as 0.
    """
    question, answer = ([word.lower() for word in _WORD.findall(text)] for text in (query, output))
    common = len({*question} & {*answer})
    values = (
        refuses(output), log1p(len(answer)), log1p(len(question)), log1p(len(answer)) - log1p(len(question)),
        any(map(str.isdigit, output)), any(map(str.isdigit, query)), common / max(len({*question}), 1),
        common / max(len({*answer}), 1), "how" in question, "and" in question, _HEDGE.search(output) is not None,
        log1p(output.count("\n")), *_score_features(scores), *_shares(selection or {}),
    )  # fmt: skip
    return dict(zip(FEATURES, map(float, values), strict=True))


def _shares(selection: Mapping[str, float]) -> list[float]:
    values = [selection.get(name, 0.0) for name in SELECTION_FEATURES]
    return [value if isfinite(value) else 0.0 for value in values]


def _score_features(scores: Sequence[float]) -> tuple[float, float, float]:
    if not scores or not all(map(isfinite, scores)):
        return 0.0, 0.0, 0.0
    best, *lower_scores = sorted(scores, reverse=True)
    size = max(abs(best), 1e-9)
    return (
        best,
        (best - lower_scores[0]) / size if lower_scores else 0.0,
        (best - lower_scores[-1]) / size if lower_scores else 0.0,
    )


@dataclass(frozen=True, slots=True)
class Gain:
    """What a reading adds to the retrieved answer, linear in the features; points, where it was fitted.

    `cost` is its share of the tokens of the whole document.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    intercept: float = 0.0
    cost: float = 1.0

    def predict(self, features: Mapping[str, float]) -> float:
        """Of a question and its retrieved answer."""
        return self.intercept + sum(weight * features[name] for name, weight in self.weights.items())


@dataclass(frozen=True, slots=True)
class RouteRule:
    """A rule: its `name` ("budget=0.3", "risk=0.05", "self_route" …), the gains of readings, and the threshold.

    `tasks` are those that it was fitted on, `readers` those whose answers it was fitted on, as far as runs name them,
    `retrievers` the descriptions of those whose scores it was fitted on, and `calibration` says on how much, and what
    is promised; all are empty for rules that are not fitted. `second` describes the retriever whose selection the first
    one's was compared with, for a rule that weighs the agreement; None for other rules.
    """

    name: str
    readings: Mapping[ReadingOn, Gain] = field(default_factory=dict)
    threshold: float = 0.0
    tasks: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    retrievers: tuple[Mapping[str, Any], ...] = ()
    calibration: Mapping[str, Any] = field(default_factory=dict)
    second: Mapping[str, Any] | None = None

    def reading_on(self, features: Mapping[str, float]) -> ReadingOn | None:
        """What to read after a retrieved answer; None where that answer stays."""
        values = {name: gain.predict(features) - self.threshold * gain.cost for name, gain in self.readings.items()}
        best = max(values, key=values.__getitem__, default=None)
        return best if best is not None and values[best] > 0 else None

    def decide(
        self, query: str, output: str, scores: Sequence[float] = (), selection: Mapping[str, float] | None = None
    ) -> Decision:
        """What to do after a retrieved answer from passages with these scores, of a selection with these features."""
        features = route_features(query, output, scores, selection)
        return self.reading_on(features) or ("refuse" if features["refused"] else "stop")

    def weighs(self, names: Collection[str]) -> bool:
        """Whether it weighs one of these features."""
        return any(gain.weights.get(name) for gain in self.readings.values() for name in names)

    def to_dict(self) -> dict[str, Any]:
        """The content of its file."""
        return {
            "format": FORMAT,
            "rule": self.name,
            "readings": {name: plain_fields(gain) for name, gain in self.readings.items()},
            "threshold": self.threshold,
            "tasks": list(self.tasks),
            "readers": list(self.readers),
            "retrievers": list(map(dict, self.retrievers)),
            "calibration": dict(self.calibration),
            "second": self.second and dict(self.second),
        }


RETRIEVED_RULE = RouteRule("retrieved")
MORE_RULE = RouteRule("more", {"more": Gain(intercept=1.0)})
WHOLE_RULE = RouteRule("whole", {"whole": Gain(intercept=1.0)})
SELF_ROUTE = RouteRule("self_route", {"whole": Gain({"refused": 1.0})}, threshold=0.5)
FIXED_RULES = {rule.name: rule for rule in (RETRIEVED_RULE, MORE_RULE, WHOLE_RULE, SELF_ROUTE)}


def _is_finite(value: Any) -> bool:
    return record_checks.number(value) and isfinite(value)


def _is_component(value: Any) -> bool:
    return isinstance(value, Mapping) and record_checks.text(value.get("name"))


_TESTS = {
    "format": record_checks.count,
    "rule": record_checks.text,
    "readings": record_checks.mapping(record_checks.mapping(lambda value: True)),
    "threshold": _is_finite,
    "tasks": record_checks.each_item(record_checks.text),
    "readers": record_checks.each_item(record_checks.text),
    "retrievers": record_checks.each_item(_is_component),
    "calibration": record_checks.mapping(lambda value: True),
    "second": record_checks.maybe(_is_component),
}
_GAIN_TESTS = {
    "weights": record_checks.mapping(_is_finite),
    "intercept": _is_finite,
    "cost": lambda value: _is_finite(value) and value > 0,
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
    rule = _checked_rule(record, str(path))
    return replace(rule, second=rule.second and marked_with_file(rule.second, str(path)))  # data, which names no code


def _checked_rule(record: Mapping[str, Any], place: str) -> RouteRule:
    if "format" in record and record["format"] != FORMAT:
        raise UserError(f"{place} has format {record['format']!r}, not {FORMAT}: fit it again with this version")
    try:
        record_checks.check(record, _TESTS)
        for gain in record["readings"].values():
            record_checks.check(gain, _GAIN_TESTS)
    except ValueError as error:
        raise UserError(f"{place} is no rule ({error}): longdoc analyze route-rule writes one") from None
    if wrong_names := sorted({*record["readings"]} - {*READINGS}):
        raise UserError(f"{place} reads {wrong_names[0]!r}, which is no reading: fit it again with this version")
    weighed_names = {name for gain in record["readings"].values() for name in gain["weights"]}
    if wrong_names := sorted(weighed_names - {*FEATURES}):
        raise UserError(f"{place} weighs {wrong_names[0]!r}, which is no feature: fit it again with this version")
    return RouteRule(
        record["rule"], {name: _gain(record["readings"][name]) for name in READINGS if name in record["readings"]},
        float(record["threshold"]), tuple(record["tasks"]), tuple(record["readers"]), tuple(record["retrievers"]),
        record["calibration"], record["second"],
    )  # fmt: skip


def _gain(record: Mapping[str, Any]) -> Gain:
    return Gain(dict(record["weights"]), float(record["intercept"]), float(record["cost"]))
