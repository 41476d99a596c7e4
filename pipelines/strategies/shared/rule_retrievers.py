"""The retrievers of a rule that decides what to read: whose scores it weighs, and whose selection it compares."""

from collections.abc import Mapping
from typing import Any

import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe, name_of
from longdoc.typed_form import typed_form
from longdoc.volatile_fields import without_volatile
from pipelines.strategies.shared.route_rule import AGREEMENT, EXPECTED_EVIDENCE, RETRIEVER_FEATURES, RouteRule


def second_of(value: Any, rule: RouteRule) -> retrievers.Retriever | None:
    """The retriever to compare with: the given one, or the rule's where it weighs the agreement. Raises `UserError`."""
    second = None if value is None else retrievers.get(value)
    if second is not None and second.query_source != "query":
        name = name_of(second)
        raise UserError(f"route:second={name} does not rank by the question: give one that does, as second=bm25")
    if not rule.weighs([AGREEMENT]):
        return second
    if second is None and rule.second is None:
        raise UserError(
            f"the rule {rule.name} weighs the agreement with a second retriever, and names none: give the one that it "
            "was fitted with, as route:second=bm25"
        )
    if second is not None and rule.second not in (None, without_volatile(describe(second))):
        raise UserError(f"the rule {rule.name} was fitted with second={typed_form(rule.second)}: leave second= out")
    return second or retrievers.get(rule.second)


def check_second(second: retrievers.Retriever, retriever: retrievers.Retriever) -> None:
    """Raises `UserError` for a run's own retriever, with which it agrees."""
    if without_volatile(describe(second)) == without_volatile(describe(retriever)):
        name = name_of(second)
        raise UserError(f"route:second={name} is the run's own retriever: give another one, or leave it out")


def check_expected_evidence(rule: RouteRule, retriever: retrievers.Retriever) -> None:
    """Raises `UserError` where the rule weighs the expected evidence and not all chunks are scored by the question."""
    scores_all = retriever.query_source == "query" and retriever.nested and retriever.most is None
    if rule.weighs([EXPECTED_EVIDENCE]) and not scores_all:
        raise UserError(
            f"the rule {rule.name} weighs the expected evidence, and {name_of(retriever)} does not score all chunks by "
            "the question: give a retriever that does, as retriever=bm25"
        )


def check_scores(rule: RouteRule, retriever: retrievers.Retriever) -> None:
    """Raises `UserError` where the rule weighs scores, and was fitted on those of other retrievers."""
    record = without_volatile(describe(retriever))
    if not rule.weighs(RETRIEVER_FEATURES) or not rule.retrievers or record in rule.retrievers:
        return
    fitted_text = ", ".join(_typed_difference(fitted_record, record) for fitted_record in rule.retrievers)
    own_text = _typed_difference(record, rule.retrievers[0])
    raise UserError(
        f"the rule {rule.name} was fitted on scores of {fitted_text}, not of {own_text}: fit one on runs with "
        f"{own_text}, or give route:any_retriever=true as well"
    )


def _typed_difference(record: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """A retriever's name, with the fields in which it differs from another one of the same name."""
    if record["name"] != other["name"]:
        return str(record["name"])
    fields = {name: value for name, value in record.items() if name not in other or other[name] != value}
    return str(typed_form({"name": record["name"], **fields}))
