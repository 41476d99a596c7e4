"""Which ways a model reads the documents by, as the cells of an ablation: each is an ordinary run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import chunkers
import retrievers
from longdoc.errors import UserError, unknown
from longdoc.typed_form import typed_form
from pipelines import strategies
from pipelines.ablations.conditions.finished_conditions import CLOSED, WHOLE_TEXT
from pipelines.engine.planning.selection_budget import selection_budget
from pipelines.engine.planning.selection_plan import BEST
from pipelines.results.run_folders.schema import Kind
from pipelines.tasks import Task

OverWindow = Literal["cut", "skip"]
OVER_WINDOW = ("cut", "skip")
SELECT = (300, 1000, 3000)  # words, where no budget is given
PASSAGES = "tokens:size=100"  # where neither task nor retriever splits documents
AMOUNTS = ("k", "select", "budget")
RETRIEVAL_NAMES = ("chunker", "order", "query", "fill")  # arguments that say how passages are selected
ORACLE = "oracle:of=evidence"


@dataclass(frozen=True, slots=True)
class RequestedCondition:
    """A way that is asked here: a cell of the ablation."""

    name: str
    kind: Kind
    arguments: Mapping[str, Any]
    line: str = ""
    amount: str = ""


def requested_conditions(
    task: Task,
    retriever: Any,
    amounts: Mapping[str, Any],
    over_window: str,
    arguments: Mapping[str, Any],
    further_strategies: Any = None,
) -> list[RequestedCondition]:
    """The whole document, closed book, and each retriever, the oracle last, at each budget. Raises `UserError`.

    `arguments` are further ones of a run; those on how passages are selected are for retrieval alone.
    `further_strategies` are asked besides: with each retriever and budget where they search, else about all passages.
    """
    if over_window not in OVER_WINDOW:
        raise unknown("over_window", over_window, OVER_WINDOW)
    passages = {name: value for name, value in arguments.items() if name in RETRIEVAL_NAMES and value is not None}
    shared = {name: value for name, value in arguments.items() if name not in RETRIEVAL_NAMES}
    whole_values = {"retriever": "all", "chunker": "uncut" if over_window == "skip" else _whole_text(task)}
    budgets = _budgets(amounts)
    if "fill" in passages and not any(name == "select" for name, _ in budgets.values()):
        raise UserError(f"fill={passages['fill']!r} says how select= is filled: give select=300 too, or leave fill out")
    rankers = _several_values(retriever, "retriever") or ["bm25" if task.dataset.has_query else "first"]
    lines: list[tuple[Kind, Any, str]] = [("retrieval", ranker, _line(ranker)) for ranker in rankers]
    lines.append(("oracle", ORACLE, "oracle"))
    conditions = [RequestedCondition(WHOLE_TEXT, "whole", {**shared, **whole_values})]
    for kind, ranker, line in lines:
        for amount, (name, value) in budgets.items():
            own_fields = {"chunker": _passages(task, ranker), **passages, "retriever": ranker, name: value}
            if name != "select":
                own_fields.pop("fill", None)  # it says how `select` is filled
            conditions.append(RequestedCondition(f"{line}, {amount}", kind, {**shared, **own_fields}, line, amount))
    for strategy in _several_values(further_strategies, "strategies"):
        retrieval = [condition for condition in conditions if condition.kind == "retrieval"]
        conditions += _conditions_of(task, strategy, retrieval, {**shared, **passages})
    conditions.append(RequestedCondition(CLOSED, "closed book", {**shared, "retriever": "none"}))
    names = [condition.name for condition in conditions]
    if twice_text := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"{twice_text} is given twice: leave one out")
    return conditions


def _line(component: Any) -> str:
    return str(typed_form(component))


def _conditions_of(
    task: Task, strategy: Any, retrieval: Sequence[RequestedCondition], arguments: Mapping[str, Any]
) -> list[RequestedCondition]:
    """The conditions of a strategy: beside each one of retrieval, or one over all passages in document order."""
    name = _line(strategy)
    if strategies.get(strategy).searches:
        return [
            replace(
                condition,
                name=f"{name}, {condition.name}",
                kind="other",
                arguments={**condition.arguments, "strategy": strategy},
                line=f"{name}, {condition.line}",
            )
            for condition in retrieval
        ]
    fields = {**arguments, "chunker": arguments.get("chunker") or _passages(task, "all"), "retriever": "all"}
    return [RequestedCondition(name, "other", {**fields, "strategy": strategy})]


def _whole_text(task: Task) -> str:
    """The task's own chunker where it reads whole documents, which also says how they are cut."""
    return task.chunker if chunkers.get(task.chunker).single_chunk else "whole"


def _passages(task: Task, ranker: Any) -> Any:
    """The chunker where none is given: the retriever's own, else the task's, else passages of 100 words.

    None for a retriever that brings one.
    """
    if ranker == BEST or retrievers.get(ranker).chunker:
        return None
    return PASSAGES if chunkers.get(task.chunker).single_chunk else task.chunker


def _budgets(amounts: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
    """Each budget by its name as typed: `k=5`, `select=300`. Raises `UserError`."""
    given_values = {name: _several_values(amounts.get(name), name) for name in AMOUNTS}
    if not any(given_values.values()):
        given_values = {"select": list(SELECT)}
    for name, values in given_values.items():  # before the whole document is asked, which costs most
        for value in values:
            _check_amount(name, value)
    return {f"{name}={value}": (name, value) for name, values in given_values.items() for value in values}


def _check_amount(name: str, value: Any) -> None:
    if name == "select":
        selection_budget(value, None)
    elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UserError(f"{name} must be a whole number of at least 1, got {value!r}")


def _several_values(value: Any, name: str) -> list[Any]:
    """A value or several as a list; empty for None. Raises `UserError` for an empty list."""
    if value is None:
        return []
    entries: list[Any] = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if not entries:
        raise UserError(f"{name}=[] holds no value: give at least one, or leave {name} out")
    return entries
